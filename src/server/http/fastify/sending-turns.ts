import type { ServerResponse } from 'node:http';

/**
 * Ends responses together, once everything that has arrived is read. Each write to a connection wakes the client. One on
 * the same machine would wake for each answer, send its next request and sleep again: waking it took the server longer
 * than all of its own work.
 */
export class SendingTurns {
  #waiting: (() => void)[] = [];

  /** Ends it in this turn of the event loop, unless its client is gone by then. */
  end(response: ServerResponse, payload?: string | Uint8Array): void {
    if (this.#waiting.push(() => response.end(payload)) === 1) setImmediate(() => this.#endAll());
  }

  #endAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const end of waiting) end();
  }
}
