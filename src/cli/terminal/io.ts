import type { Readable, Writable } from 'node:stream';
import { CLOSED_PIPE, Interruption, STOP_SIGNALS, type StopSignal } from '../errors/exit.ts';

export interface OutputStream {
  /** Text, in which GitHub Actions finds no commands; or bytes, which are written as they are. */
  write(data: string | Uint8Array): void;
  /** Writes a part of something long; resolves when the stream is ready for the next, so that nothing piles up. */
  writePart(data: string | Uint8Array): Promise<void>;
  readonly isTTY: boolean;
  readonly hasColor: boolean;
  /** Colour depth of the stream in bits: 24, 8 (256 colours), 4 or 1. */
  readonly colorDepth: number;
  readonly columns: number;
  /** False for a terminal that does not report its width: lines cannot be redrawn there. */
  readonly isSized: boolean;
}

/** The terminal: data goes to stdout, messages to stderr. Commands write only through this. */
export interface Io {
  readonly out: OutputStream;
  readonly err: OutputStream;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly canPrompt: boolean;
}

export type ColorChoice = 'auto' | 'always' | 'never';

interface RealStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly getColorDepth?: (env?: object) => number;
}

interface RealIo {
  /** A function, because opening stdin has a cost and most commands do not read it. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: RealStream;
  readonly stderr: RealStream;
  readonly env: NodeJS.ProcessEnv;
  /** Called when the reader of stdout has closed it (`| head`). */
  readonly onClosedPipe: () => void;
  /** Called when writing to stdout fails for another reason, such as a full disk. */
  readonly onBroken: (error: Error) => void;
}

const DEFAULT_COLUMNS = 80;

export function makeIo(real: RealIo, color: ColorChoice): Io {
  const { stdin, stdout, stderr, env, onClosedPipe, onBroken } = real;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') onClosedPipe();
    else onBroken(error);
  });
  stderr.on('error', () => {}); // there is nowhere left to report it
  const out = outputStream(stdout, env, color);
  const err = outputStream(stderr, env, color);
  return {
    out,
    err,
    get stdin() {
      return stdin();
    },
    get canPrompt() {
      return stdin().isTTY === true && err.isTTY;
    },
  };
}

export function processIo(color: ColorChoice, stop: AbortController): Io {
  const { stdout, stderr, env } = process;
  return makeIo(
    {
      stdin: () => process.stdin,
      stdout,
      stderr,
      env,
      onClosedPipe: () => stop.abort(CLOSED_PIPE),
      onBroken: (error) => stop.abort(error),
    },
    color,
  );
}

function outputStream(stream: RealStream, env: NodeJS.ProcessEnv, color: ColorChoice): OutputStream {
  const isTTY = stream.isTTY === true;
  const isRead = env['GITHUB_ACTIONS'] === 'true';
  const safe = (data: string | Uint8Array) =>
    isRead && typeof data === 'string' ? withoutCommands(data) : data;
  return {
    write: (data) => void stream.write(safe(data)),
    // The stream's listener reports an error.
    writePart: async (data) => await new Promise((resolve) => stream.write(safe(data), () => resolve())),
    isTTY,
    hasColor: color === 'always' || (color === 'auto' && isTTY && wantsColor(env)),
    colorDepth: colorDepthOf(stream, env),
    // Read each time: the window may be resized while a command runs.
    get columns() {
      return stream.columns || DEFAULT_COLUMNS;
    },
    get isSized() {
      return Boolean(stream.columns);
    },
  };
}

/**
 * The runner of GitHub Actions obeys lines that begin with `::`, and `##[` anywhere, so a file name could give it orders. An
 * invisible space ends that. Source: `ActionCommand.cs` of actions/runner.
 */
function withoutCommands(text: string): string {
  return text.replace(/^(?=[^\S\r\n\u2028\u2029]*::)/gm, '\u200b').replaceAll('##[', '##\u200b[');
}

/** Node knows 256 colours only of xterm, not of `screen-256color` and others, which SSH passes on without COLORTERM. */
function colorDepthOf(stream: RealStream, env: NodeJS.ProcessEnv): number {
  const depth = stream.getColorDepth?.(env) ?? 1;
  return depth === 4 && /-256color$/.test(env['TERM'] ?? '') ? 8 : depth;
}

function wantsColor(env: NodeJS.ProcessEnv): boolean {
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Columns in which texts are wrapped; unlimited where the width is unknown. */
export function widthOf({ columns, isSized }: Pick<OutputStream, 'columns' | 'isSized'>): number {
  return isSized ? columns : Number.POSITIVE_INFINITY;
}

type Stdout = Pick<NodeJS.WriteStream, 'on' | 'write'>;

/**
 * Tracks the outcome of everything written to stdout. Node itself forgets: stdout cannot be destroyed, so an error
 * there is undone, and `errored` is null again before the next line of output.
 */
export class OutputFlush {
  readonly #stdout: Stdout;
  #error: Error | undefined;

  /** Without a listener, an error would end the process with its stack. */
  constructor(stdout: Stdout) {
    this.#stdout = stdout;
    stdout.on('error', (error) => {
      this.#error ??= error;
    });
  }

  /**
   * Resolves when all of it has arrived.
   * @throws CLOSED_PIPE when its reader has gone, else the first error
   */
  async complete(): Promise<void> {
    await new Promise<void>((resolve) => void this.#stdout.write('', () => resolve()));
    if (this.#error) throw asUnwritten(this.#error);
  }
}

/** What to report when something could not be written. */
export function asUnwritten(error: NodeJS.ErrnoException): Error {
  return error.code === 'EPIPE' ? CLOSED_PIPE : error;
}

/** The colours in use, as functions; they return plain text when colour is off. */
export interface Colors {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

export async function colorsFor(stream: OutputStream): Promise<Colors> {
  if (!stream.hasColor) {
    const plain = (text: string) => text;
    return { good: plain, bad: plain, warn: plain, faint: plain, strong: plain };
  }
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { good: chalk.green, bad: chalk.red, warn: chalk.yellow, faint: chalk.dim, strong: chalk.bold };
}

/** On this signal, Node would open its debugger, which all users of the machine can connect to. */
const DEBUG = 'SIGUSR1';
type Signal = StopSignal | typeof DEBUG;

export interface SignalSource {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
  kill(pid: number, signal: Signal): unknown;
  readonly pid: number;
}

/** Milliseconds: a terminal sends Ctrl-C to all processes, and npx and our own start under an old Node pass it on. */
const ONE_CTRL_C = 300;

/**
 * The first signal asks the run to stop; a second one ends the process at once, as by default. Our listener stays
 * registered after the first: the spinner's library kills the process if its own listener is the only one.
 */
export function listenForSignals(
  stop: AbortController,
  source: SignalSource,
  now: () => number = performance.now.bind(performance),
): () => void {
  let first: { readonly signal: Signal; readonly at: number } | undefined;
  const onSignal = (signal: Signal) => {
    if (signal === DEBUG) return;
    if (first === undefined) {
      first = { signal, at: now() };
      stop.abort(new Interruption(signal));
      return;
    }
    const isSame = signal === 'SIGINT' && first.signal === 'SIGINT';
    if (isSame && now() - first.at < ONE_CTRL_C) return;
    unlisten();
    source.kill(source.pid, signal);
  };
  const unlisten = () => {
    for (const signal of [...STOP_SIGNALS, DEBUG] as const) source.off(signal, onSignal);
  };
  for (const signal of [...STOP_SIGNALS, DEBUG] as const) source.on(signal, onSignal);
  return unlisten;
}
