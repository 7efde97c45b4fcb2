import type { Listening, ToPrimary, ToServing } from './messages.ts';

/** A process that was started, as Node's cluster describes it. */
export interface Child {
  readonly process: { readonly pid?: number | undefined };
  on(event: 'message', listener: (message: ToPrimary) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  isConnected(): boolean;
  send(message: ToServing, sent: (error: Error | null) => void): unknown;
  kill(signal: NodeJS.Signals): void;
}

/** How a process ended: with an exit status, or by a signal. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One of the processes that serve, as the primary one sees it. */
export class ServingProcess {
  readonly index: number;
  /** Where it listens; undefined: it has ended before it did. */
  readonly listening: Promise<Listening | undefined>;
  readonly ended: Promise<Ended>;
  readonly #child: Child;

  constructor(child: Child, index: number, onMessage: (message: ToPrimary, from: ServingProcess) => void) {
    this.index = index;
    this.#child = child;
    const listening = Promise.withResolvers<Listening | undefined>();
    const ended = Promise.withResolvers<Ended>();
    child.on('message', (message) => {
      if (message.kind === 'listening') listening.resolve(message);
      onMessage(message, this);
    });
    const end = (how: Ended) => {
      listening.resolve(undefined);
      ended.resolve(how);
    };
    child.once('exit', (code, signal) => end({ code, signal }));
    child.on('error', () => end({ code: null, signal: null })); // it could not be started
    this.listening = listening.promise;
    this.ended = ended.promise;
  }

  get pid(): number | undefined {
    return this.#child.process.pid;
  }

  /** Says nothing if it has ended: its end is reported. */
  send(message: ToServing): void {
    if (this.#child.isConnected()) this.#child.send(message, () => {});
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
