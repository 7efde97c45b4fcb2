import type { Clock } from '../../../src/base/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const START = Date.UTC(2026, 0, 1, 12, 30, 30);
/** Turns of the event loop, one after the other, in which nobody does anything: then everything that is ready has run. */
const QUIET_TURNS = 4;
/** Milliseconds of this clock after which a run counts as endless. */
const LONGEST_RUN = 3 * 60 * 60_000;

/**
 * A clock that many tasks sleep on at once. It moves only when nothing else can run, and then to the next
 * moment that someone waits for: what takes an hour by it takes milliseconds, and always the same ones.
 */
export class VirtualClock implements Clock {
  #now = 0;
  #sleepers: Sleeper[] = [];
  /** Tasks that it stands still for. */
  #busy = 0;

  now(): number {
    return START + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper = { at: this.#now + Math.max(0, ms), wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Stands still until the task has settled, which takes no time by this clock, however slow the machine is. */
  async standStill<T>(task: Promise<T>): Promise<T> {
    this.#busy++;
    return await task.finally(() => this.#busy--);
  }

  /** Runs the clock until the task has settled. */
  async until<T>(task: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    void task.then(settle, settle);
    while (!isSettled) {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet = this.#busy > 0 || isWorking() ? 0 : quiet + 1)
        await new Promise(setImmediate);
      if (!isSettled) this.#wakeNext();
    }
    return await task;
  }

  /** The sleeper that wakes first. */
  #wakeNext(): void {
    const at = Math.min(...this.#sleepers.map((sleeper) => sleeper.at));
    if (!Number.isFinite(at)) return;
    if (at > LONGEST_RUN) throw new Error('It does not come to an end.');
    this.#now = Math.max(this.#now, at);
    const due = this.#sleepers.filter((sleeper) => sleeper.at <= at);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.at > at);
    for (const { wake } of due) wake();
  }
}

/**
 * Whether files are being read or written, or someone gives way to others for a turn, as the planner does again and
 * again on a slow machine. Neither takes time by this clock.
 */
function isWorking(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(?:FSReq|CloseReq|Immediate)/.test(name));
}
