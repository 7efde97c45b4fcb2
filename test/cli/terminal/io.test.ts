import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type ColorChoice, makeIo } from '../../../src/cli/terminal/io.ts';

interface Terminal {
  readonly env?: NodeJS.ProcessEnv;
  readonly out?: object;
  readonly err?: object;
  readonly in?: object;
  readonly color?: ColorChoice;
}

const TTY = { isTTY: true };

function makeTerminal({ env = {}, color = 'auto', ...parts }: Terminal = {}) {
  const stdout = Object.assign(new PassThrough(), parts.out);
  const stderr = Object.assign(new PassThrough(), parts.err);
  const stdin = Object.assign(new PassThrough(), parts.in);
  const onClosedPipe = vi.fn();
  const onBroken = vi.fn();
  return {
    io: makeIo({ stdin: () => stdin, stdout, stderr, env, onClosedPipe, onBroken }, color),
    stdout,
    stderr,
    onClosedPipe,
    onBroken,
  };
}

function errorWith(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('colour', () => {
  const rows: [what: string, terminal: Terminal, out: boolean, err: boolean][] = [
    ['two terminals', { out: TTY, err: TTY }, true, true],
    ['stdout in a pipe', { err: TTY }, false, true],
    ['stderr in a file', { out: TTY }, true, false],
    ['two pipes', {}, false, false],
    ['NO_COLOR', { out: TTY, err: TTY, env: { NO_COLOR: '1' } }, false, false],
    [
      'an empty NO_COLOR, which counts for nothing',
      { out: TTY, err: TTY, env: { NO_COLOR: '' } },
      true,
      true,
    ],
    ['a dumb terminal', { out: TTY, err: TTY, env: { TERM: 'dumb' } }, false, false],
    ['any other terminal', { out: TTY, err: TTY, env: { TERM: 'xterm' } }, true, true],
    ['always, in pipes and with NO_COLOR', { color: 'always', env: { NO_COLOR: '1' } }, true, true],
    ['never, on terminals', { color: 'never', out: TTY, err: TTY }, false, false],
  ];
  test.each(rows)('is decided for each stream: %s', (_, terminal, out, err) => {
    const { io } = makeTerminal(terminal);
    expect([io.out.hasColor, io.err.hasColor]).toEqual([out, err]);
  });
});

describe('In GitHub Actions', () => {
  const env = { GITHUB_ACTIONS: 'true' };
  /** As the runner finds commands in a line. */
  const isCommand = (line: string) => line.trimStart().startsWith('::') || line.includes('##[');
  const hostile = 'fine\n::error::x.png\n  ::stop-commands::a\n\t::debug::\n##[add-mask]a\nb ##[group]\n';

  test.each(['out', 'err'] as const)('a text on std%s contains no command', async (name) => {
    const { io, stdout, stderr } = makeTerminal({ env });
    io[name].write(hostile);
    await io[name].writePart(hostile);
    const written = String((name === 'out' ? stdout : stderr).read());
    expect(written.split('\n').filter(isCommand)).toEqual([]);
    expect(written.replaceAll('\u200b', '')).toBe(hostile + hostile);
  });

  test('a text of 100,000 empty lines is cleaned in one pass', () => {
    const { io, stdout } = makeTerminal({ env });
    const text = `${'\n \t'.repeat(100_000)}::error::x`;
    io.out.write(text);
    expect(String(stdout.read()).replace('\u200b', '')).toBe(text);
  });

  test('bytes are written unchanged, and so is text outside GitHub Actions', () => {
    const { io, stdout } = makeTerminal({ env });
    io.out.write(Buffer.from(hostile));
    expect(String(stdout.read())).toBe(hostile);
    const elsewhere = makeTerminal();
    elsewhere.io.out.write(hostile);
    expect(String(elsewhere.stdout.read())).toBe(hostile);
  });
});

describe('The number of colours', () => {
  test.each([
    ['screen-256color', 4, 8],
    ['tmux-256color', 4, 8],
    ['screen', 4, 4],
    ['xterm-256color', 24, 24],
    ['rxvt-256color', 1, 1],
  ])('of %s, which Node takes for %i bits, is %i bits', (TERM, node, bits) => {
    const { io } = makeTerminal({ env: { TERM }, out: { isTTY: true, getColorDepth: () => node } });
    expect(io.out.colorDepth).toBe(bits);
  });
});

describe('makeIo', () => {
  test('knows the new width after the window was resized', () => {
    const { io, stdout } = makeTerminal({ out: { isTTY: true, columns: 80 } });
    Object.assign(stdout, { columns: 40 });
    expect([io.out.columns, io.out.isSized]).toEqual([40, true]);
    Object.assign(stdout, { columns: 0 });
    expect(io.out.isSized).toBe(false);
  });

  test('writes data to stdout and talk to stderr', () => {
    const { io, stdout, stderr } = makeTerminal();
    io.out.write('data');
    io.err.write('talk');
    expect(String(stdout.read())).toBe('data');
    expect(String(stderr.read())).toBe('talk');
  });

  test('writes a chunk and waits until it was read', async () => {
    const waiting: (() => void)[] = [];
    const { io } = makeTerminal({ out: { write: (_: string, taken: () => void) => waiting.push(taken) } });
    const done = vi.fn();
    const writing = io.out.writePart('a').then(done);
    await setImmediate();
    expect(done).not.toHaveBeenCalled();
    waiting[0]?.();
    await writing;
  });

  test('stops waiting for a reader that has gone', async () => {
    const _transform = (_data: unknown, _encoding: unknown, done: (error: Error) => void) =>
      done(errorWith('EPIPE'));
    const { io, onClosedPipe } = makeTerminal({ out: { _transform } });
    await io.out.writePart('a');
    await io.out.writePart('b');
    expect(onClosedPipe).toHaveBeenCalledOnce();
  });

  test('knows how wide a terminal is, and assumes 80 columns if it is unknown', () => {
    const { io } = makeTerminal({ out: { ...TTY, columns: 132 } });
    expect([io.out.columns, io.err.columns]).toEqual([132, 80]);
  });

  test.each([
    [TTY, TTY, true],
    [TTY, {}, false],
    [{}, TTY, false],
    [{}, {}, false],
  ])('asks people only where they can see it and answer (stdin %j, stderr %j)', (stdin, err, canPrompt) => {
    expect(makeTerminal({ in: stdin, err, out: TTY }).io.canPrompt).toBe(canPrompt);
  });
});

describe('a closed pipe', () => {
  test('is reported once stdout has no reader any more', () => {
    const { stdout, onClosedPipe } = makeTerminal();
    stdout.emit('error', errorWith('EPIPE'));
    expect(onClosedPipe).toHaveBeenCalledTimes(1);
  });

  test('does not stop the command when it is stderr', () => {
    const { stderr, onClosedPipe } = makeTerminal();
    stderr.emit('error', errorWith('EPIPE'));
    expect(onClosedPipe).not.toHaveBeenCalled();
  });

  test('is distinguished from other problems, which are reported too', () => {
    const { stdout, onClosedPipe, onBroken } = makeTerminal();
    const full = errorWith('ENOSPC');
    stdout.emit('error', full);
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(full);
    expect(onClosedPipe).not.toHaveBeenCalled();
  });

  test('does not stop the command when only stderr cannot be written', () => {
    const { stderr, onClosedPipe, onBroken } = makeTerminal();
    stderr.emit('error', errorWith('ENOSPC'));
    expect([onClosedPipe, onBroken].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});
