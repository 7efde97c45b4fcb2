import type { Clock } from '../../../base/clock.ts';
import { sleepOrWake } from '../../../base/sleeping.ts';
import type { Listening, ToPrimary } from './messages.ts';
import { type Child, type Ended, ServingProcess } from './serving-process.ts';
import { SharedMetrics } from './shared-metrics.ts';

export interface SupervisorOptions {
  readonly count: number;
  /** The port of the options; undefined: the usual one. */
  readonly port: number | undefined;
  readonly start: () => Child;
  readonly clock: Clock;
  /** Aborts when the service is to stop. */
  readonly signal: AbortSignal;
  /** Called once, when all processes listen. */
  readonly onListening: (listening: Listening) => void;
  /** Called when a process has ended that should not have; another one is started after `pause` milliseconds. */
  readonly onLost: (lost: Ended & { readonly pid: number | undefined; readonly pause: number }) => void;
}

/** Milliseconds before a process is replaced: doubled each time, unless the last one was steady. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
/** Milliseconds for which a process must have lived to count as steady. */
const STEADY = 60_000;

/** Runs the processes that serve, and replaces those that end. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #metrics: SharedMetrics;
  readonly #processes = new Set<ServingProcess>();
  readonly #listening = new Set<ServingProcess>();
  /** What the processes are told to listen on, and the port that it turned out to be. */
  #port: number | undefined;
  #boundPort: number | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#metrics = new SharedMetrics(options.clock);
    this.#port = options.port;
  }

  /**
   * Serves until `signal` aborts. The first process starts by itself: it prepares the store, and what is wrong is said
   * once. @returns the exit status: 0, or that of a process that failed to start or to stop
   */
  async run(): Promise<number> {
    const { signal, count, onListening } = this.#options;
    signal.addEventListener('abort', () => this.#stop());
    const first = this.#start(0);
    const listening = await first.listening;
    if (!listening) return exitStatusOf(await first.ended);
    const others = Array.from({ length: count - 1 }, (_, index) => this.#start(index + 1));
    const failed = (await Promise.all(others.map(unlessListening))).find((one) => one !== undefined);
    const isUp = !failed && !signal.aborted;
    if (isUp || listening.key !== undefined) onListening(listening); // the key is shown now or never
    if (failed && !signal.aborted) {
      this.#stop();
      await Promise.all([...this.#processes].map(async ({ ended }) => await ended));
      return exitStatusOf(await failed.ended) || 1;
    }
    const ends = await Promise.all([first, ...others].map(async (one) => await this.#keepRunning(one)));
    return ends.map(exitStatusOf).find((status) => status !== 0) ?? 0;
  }

  #start(index: number): ServingProcess {
    // When nobody listens any more, a port that the system chose is free again, but the callers know it.
    if (this.#listening.size === 0) this.#port = this.#boundPort ?? this.#port;
    const begun = new ServingProcess(this.#options.start(), index, (message, from) =>
      this.#receive(message, from),
    );
    this.#processes.add(begun);
    void begun.ended.then(() => {
      this.#processes.delete(begun);
      this.#listening.delete(begun);
      this.#metrics.retire(begun);
    });
    return begun;
  }

  /** Replaces the process whenever it ends. @returns how the last one ended, after the service was told to stop */
  async #keepRunning(first: ServingProcess): Promise<Ended> {
    const { clock, signal, onLost } = this.#options;
    let current = first;
    let pause = FIRST_PAUSE;
    for (;;) {
      const begun = clock.monotonic();
      const ended = await current.ended;
      if (signal.aborted) return ended;
      if (clock.monotonic() - begun >= STEADY) pause = FIRST_PAUSE;
      onLost({ ...ended, pid: current.pid, pause });
      await sleepOrWake(clock, pause, signal);
      if (signal.aborted) return { code: 0, signal: null };
      pause = Math.min(LONGEST_PAUSE, 2 * pause);
      current = this.#start(first.index);
    }
  }

  #stop(): void {
    for (const one of this.#processes) one.send({ kind: 'stop' });
  }

  #receive(message: ToPrimary, from: ServingProcess): void {
    if (message.kind === 'started') this.#begin(from);
    else if (message.kind === 'listening') this.#noteListening(message, from);
    else if (message.kind === 'metrics') this.#metrics.receive(from, message.id, message.metrics);
    else if (message.kind === 'collectMetrics') void this.#collectMetrics(message.id, from);
    else for (const one of this.#listening) if (one !== from) one.send(message);
  }

  #begin(one: ServingProcess): void {
    one.send({ kind: 'begin', index: one.index, count: this.#options.count, port: this.#port });
    if (this.#options.signal.aborted) one.send({ kind: 'stop' });
  }

  #noteListening({ url }: Listening, from: ServingProcess): void {
    const port = Number(new URL(url).port || 80);
    this.#boundPort ??= port;
    if (port === this.#boundPort) this.#listening.add(from);
    else from.kill(); // all others ended while it started, and with them the port that the system had chosen
  }

  async #collectMetrics(id: number, from: ServingProcess): Promise<void> {
    const all = await this.#metrics.collect([...new Set([...this.#listening, from])]);
    from.send({ kind: 'allMetrics', id, all });
  }
}

async function unlessListening(one: ServingProcess): Promise<ServingProcess | undefined> {
  return (await one.listening) ? undefined : one;
}

function exitStatusOf({ code }: Ended): number {
  return code ?? 1;
}
