import { Readable } from 'node:stream';
import type { Io, OutputStream } from '../../../src/cli/terminal/io.ts';

interface TestIoOptions {
  /** Whether stdout and stderr are terminals. */
  readonly outTTY?: boolean;
  readonly errTTY?: boolean;
  /** Whether colours are wanted on both. */
  readonly color?: boolean;
  /** Bits of a colour; default: 24. Matters only with colours. */
  readonly colorDepth?: number;
  readonly columns?: number;
  /** Input on stdin. */
  readonly stdin?: string | Uint8Array;
  readonly canPrompt?: boolean;
}

export interface TestIo {
  readonly io: Io;
  /** What was written so far; bytes as `latin1`. */
  readonly out: () => string;
  readonly err: () => string;
}

/** The terminal of a test: everything written is kept. */
export function testIo(options: TestIoOptions = {}): TestIo {
  const {
    outTTY = false,
    errTTY = false,
    color = false,
    colorDepth = 24,
    columns = 80,
    stdin,
    canPrompt = false,
  } = options;
  const written = { out: '', err: '' };
  const write = (name: 'out' | 'err', data: string | Uint8Array) => {
    written[name] += typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
  };
  const stream = (name: 'out' | 'err', isTTY: boolean): OutputStream => ({
    write: (data) => write(name, data),
    writePart: async (data) => write(name, data),
    isTTY,
    hasColor: color,
    colorDepth,
    columns,
    isSized: columns > 0,
  });
  const input = stdin === undefined ? [] : [Buffer.from(stdin)];
  const io = {
    out: stream('out', outTTY),
    err: stream('err', errTTY),
    stdin: Readable.from(input),
    canPrompt,
  };
  return { io, out: () => written.out, err: () => written.err };
}
