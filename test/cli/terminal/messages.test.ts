import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Messages, startSpinner } from '../../../src/cli/terminal/messages.ts';
import { testIo } from '../../support/cli/test-io.ts';

describe('Messages', () => {
  test('keeps remarks for people out of pipes', async () => {
    const pipe = testIo();
    await new Messages(pipe.io, {}).note('hello');
    expect(pipe.err()).toBe('');
    const terminal = testIo({ errTTY: true });
    await new Messages(terminal.io, {}).note('hello');
    expect(terminal.err()).toBe('hello\n');
  });

  test('breaks lines between words on a terminal, and leaves commands and pipes alone', async () => {
    const text = 'One word after another until the line is full. Then: skinsmith jobs --status waiting';
    const terminal = testIo({ errTTY: true, columns: 31 });
    await new Messages(terminal.io, {}).warn(text);
    expect(terminal.err().split('\n')).toEqual([
      'warning: One word after another',
      'until the line is full. Then:',
      'skinsmith jobs --status waiting',
      '',
    ]);
    const pipe = testIo({ columns: 31 });
    await new Messages(pipe.io, {}).warn(text);
    expect(pipe.err()).toBe(`warning: ${text}\n`);
  });

  test('reports a failure with its hint, as JSON only if requested', async () => {
    const failure = { code: 'a_code', message: 'It went wrong.', hint: 'Do this.' };
    const text = testIo();
    await new Messages(text.io, { quiet: true }).failure(failure);
    expect(text.err()).toBe('error: It went wrong.\nhint: Do this.\n');
    const json = testIo();
    await new Messages(json.io, { json: true }).failure(failure);
    expect(JSON.parse(json.err())).toEqual({ error: failure });
  });

  test.each([
    ['a terminal', { errTTY: true }, {}, ['Working']],
    ['a pipe', { errTTY: false }, {}, []],
    ['a terminal of unknown width, where nothing can be redrawn', { errTTY: true, columns: 0 }, {}, []],
    ['a terminal with --quiet', { errTTY: true }, { quiet: true }, []],
    ['a terminal with --json', { errTTY: true }, { json: true }, []],
    ['a terminal with --verbose, whose lines would tear it', { errTTY: true }, { verbose: true }, []],
  ])('shows the right spinner in %s', async (_, terminal, flags, expected) => {
    const { io, err } = testIo(terminal);
    const spun: string[] = [];
    const spin = async (text: string) => {
      spun.push(text);
      return { text: () => {}, aside: async () => {}, stop: () => {} };
    };
    (await new Messages(io, flags, spin).progress('Working')).stop();
    expect([spun, err()]).toEqual([expected, '']);
  });

  test("reports a request without the control characters in a service's error", () => {
    const { io, err } = testIo();
    const report = { method: 'GET', path: '/v2/me', status: 500, milliseconds: 1 };
    new Messages(io, { verbose: true }).request({ ...report, error: 'a\u001b]0;x\u0007b\u202ec' });
    expect(err()).toBe('GET /v2/me 500 abc 1 ms\n');
  });

  test('prints messages on their own line without a spinner', async () => {
    const { io, err } = testIo();
    const messages = new Messages(io, {});
    const progress = await messages.progress('Working');
    await progress.aside(async () => messages.say('One failed.'));
    progress.text('Still working');
    progress.stop();
    expect(err()).toBe('One failed.\n');
  });
});

/** A spinner on a terminal of 80 columns. */
async function spinOn(text: string) {
  vi.stubEnv('CI', undefined); // where nothing spins
  vi.stubEnv('TERM', 'xterm');
  onTestFinished(() => void vi.unstubAllEnvs());
  const moves = { cursorTo: () => true, clearLine: () => true, moveCursor: () => true };
  const terminal = Object.assign(new PassThrough({ encoding: 'utf8' }), {
    isTTY: true,
    columns: 80,
    ...moves,
  });
  let all = '';
  terminal.on('data', (part: string) => {
    all += part;
  });
  const spinner = await startSpinner(text, terminal);
  onTestFinished(() => spinner.stop());
  return { spinner, terminal, drawn: () => all };
}

test('A spinner hides no cursor: Ctrl-Z would leave the shell without one', async () => {
  const { spinner, drawn } = await spinOn('Working');
  spinner.stop();
  await expect.poll(drawn).toContain('Working');
  expect(drawn()).not.toContain('\x1b[?25');
});

test('When a window becomes narrower, the wrapped spinner line is cleared', async () => {
  const { terminal, drawn } = await spinOn('Working on it '.repeat(5).trim());
  await expect.poll(drawn).toContain('\x1b[?7l'); // no wrapping
  await expect.poll(drawn).toContain('on it \x1b[?7h\r'); // at the start again
  terminal.columns = 30;
  terminal.emit('resize');
  await expect.poll(drawn).toContain('\x1b[0J');
  await expect.poll(drawn).toContain('Working on it Working on …');
});
