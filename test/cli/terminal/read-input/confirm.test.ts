import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { confirm } from '../../../../src/cli/terminal/read-input.ts';
import { testIo } from '../../../support/cli/test-io.ts';

const { signal } = new AbortController();

describe('confirm', () => {
  test.each([
    ['y\n', true],
    ['YES\n', true],
    [' y \n', true],
    ['\n', false],
    ['n\n', false],
    ['yep\n', false],
    ['', false],
    ['n\ny\n', false],
  ])('takes %j for %j', async (stdin, expected) => {
    const { io, out, err } = testIo({ stdin, canPrompt: true, errTTY: true });
    expect(await confirm('Delete it?', { io, signal })).toBe(expected);
    expect([out(), err()]).toEqual(['', 'Delete it? [y/N] ']);
  });

  test('asks nothing without a terminal', async () => {
    const { io, err } = testIo({ stdin: 'y\n' });
    await expect(confirm('Delete it?', { io, signal })).rejects.toMatchObject({
      code: 'cannot_ask',
      exit: 'usage',
      hint: expect.stringContaining('--yes'),
    });
    expect(err()).toBe('');
  });

  test('ends when it is interrupted while it waits', async () => {
    const { io } = testIo({ canPrompt: true });
    const stop = new AbortController();
    const asked = confirm('Delete it?', { io: { ...io, stdin: new PassThrough() }, signal: stop.signal });
    stop.abort(new DOMException('Ctrl-C', 'AbortError'));
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('asks in text that cannot control the terminal', async () => {
    const { io, err } = testIo({ stdin: 'n\n', canPrompt: true });
    await confirm('Delete \u001b[2Jit?', { io, signal });
    expect(err()).toBe('Delete it? [y/N] ');
  });
});
