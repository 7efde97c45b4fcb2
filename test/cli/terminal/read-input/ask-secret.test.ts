import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { askSecret } from '../../../../src/cli/terminal/read-input.ts';
import { testIo } from '../../../support/cli/test-io.ts';

/** A terminal on which these chunks are typed; `modes` are the changes of its raw mode. */
function terminal(...typed: readonly string[]) {
  const { io, err } = testIo({ errTTY: true, canPrompt: true });
  const stdin = new PassThrough();
  const modes: boolean[] = [];
  Object.assign(stdin, { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  for (const chunk of typed) stdin.write(chunk);
  return { io: { ...io, stdin }, err, modes, stdin };
}

const { signal } = new AbortController();

describe('A prompt for a secret', () => {
  test.each([
    [['secret\r']],
    [['sec', 'ret\n', 'more']],
    [['wrong\u0015secret\r']],
    [['secrex\u007ft\r']],
    [['\u001b[200~secret\u001b[201~\r']],
    [['s\u001b[Decr\u0004et\r']],
  ])('returns what was typed: %j', async (typed) => {
    const { io, err, modes } = terminal(...typed);
    expect(await askSecret('Key', { io, signal })).toBe('secret');
    expect([err(), modes]).toEqual(['Key: \n', [true, false]]);
  });

  test.each([
    ['Ctrl-C', 'half\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('is given up by %s', async (_, key) => {
    const { io, modes } = terminal(key);
    await expect(askSecret('Key', { io, signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(modes).toEqual([true, false]);
  });

  test('is given up when the terminal goes away, or a signal comes', async () => {
    const gone = terminal();
    gone.stdin.end();
    await expect(askSecret('Key', { io: gone.io, signal })).rejects.toMatchObject({ name: 'AbortError' });
    const stop = new AbortController();
    const asked = askSecret('Key', { io: terminal().io, signal: stop.signal });
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});
