import type { Readable, Writable } from 'node:stream';

export interface OutputStream {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Whether escape codes for colour are wanted here. */
  readonly hasColor: boolean;
  readonly columns: number;
  /** False for a terminal that does not say how wide it is: nothing can be redrawn there. */
  readonly isSized: boolean;
}

/** The terminal: stdout is data, stderr is talk. Commands write through this and nothing else. */
export interface Io {
  readonly out: OutputStream;
  readonly err: OutputStream;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Whether a person can be asked. */
  readonly canPrompt: boolean;
}

export type ColorChoice = 'auto' | 'always' | 'never';

interface RealStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface RealIo {
  /** A function, because opening stdin costs and most commands read nothing. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: RealStream;
  readonly stderr: RealStream;
  readonly env: NodeJS.ProcessEnv;
  /** Told when the reader of stdout is gone (`| head`). */
  readonly onClosedPipe: () => void;
  /** Told when stdout cannot be written for another reason: a full disk. */
  readonly onBroken: (error: Error) => void;
}

const DEFAULT_COLUMNS = 80;

export function makeIo(real: RealIo, color: ColorChoice): Io {
  const { stdin, stdout, stderr, env, onClosedPipe, onBroken } = real;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') onClosedPipe();
    else onBroken(error);
  });
  stderr.on('error', () => {}); // there is nowhere left to say it
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

function outputStream(stream: RealStream, env: NodeJS.ProcessEnv, color: ColorChoice): OutputStream {
  const isTTY = stream.isTTY === true;
  return {
    write: (text) => void stream.write(text),
    isTTY,
    hasColor: color === 'always' || (color === 'auto' && isTTY && wantsColor(env)),
    columns: stream.columns || DEFAULT_COLUMNS,
    isSized: Boolean(stream.columns),
  };
}

function wantsColor(env: NodeJS.ProcessEnv): boolean {
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
