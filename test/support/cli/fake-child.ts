import { EventEmitter } from 'node:events';
import type { ToPrimary, ToServing } from '../../../src/cli/serve/processes/messages.ts';
import type { Child } from '../../../src/cli/serve/processes/serving-process.ts';

interface Events {
  message: [message: ToPrimary];
  error: [error: Error];
  exit: [code: number | null, signal: string | null];
}

/** A process that a test plays: it says and does what it is told to. */
export class FakeChild extends EventEmitter<Events> implements Child {
  readonly process: { readonly pid: number };
  readonly received: ToServing[] = [];
  readonly kills: string[] = [];
  #isConnected = true;

  constructor(pid: number) {
    super();
    this.process = { pid };
  }

  isConnected(): boolean {
    return this.#isConnected;
  }

  send(message: ToServing): void {
    this.received.push(message);
  }

  kill(signal: string): void {
    this.kills.push(signal);
    this.end(null, signal);
  }

  says(message: ToPrimary): void {
    this.emit('message', message);
  }

  /** Starts and listens on this port. */
  listens(port: number, key?: string): void {
    this.says({ kind: 'started' });
    this.says({ kind: 'listening', url: `http://127.0.0.1:${port}`, key });
  }

  end(code: number | null, signal: string | null = null): void {
    this.#isConnected = false;
    this.emit('exit', code, signal);
  }
}
