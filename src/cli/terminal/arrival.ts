import { CLOSED_PIPE } from '../errors/exit.ts';

type Stdout = Pick<NodeJS.WriteStream, 'on' | 'write'>;

/**
 * Learns what becomes of everything written to stdout. Node itself forgets: nobody may destroy stdout, so an error there is
 * undone, and `errored` is null again before the next line of output.
 */
export class Arrival {
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
