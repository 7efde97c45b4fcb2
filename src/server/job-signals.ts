import { EventEmitter } from 'node:events';
import type { Clock } from '../clock.ts';

interface Events {
  /** There may be work: a job was accepted or freed, here or in another process. */
  work: [];
  /** This job has come to an end in this process. */
  finished: [uuid: string];
  /** Another process has written to the store. */
  elsewhere: [];
}

/** What wakes workers and waiting requests, so that nobody has to poll the store for its own news. */
export class JobSignals {
  readonly #emitter = new EventEmitter<Events>().setMaxListeners(0);
  #works = 0;

  /** How many signs of work there have been. Taken before a look for work, see `untilWork`. */
  get works(): number {
    return this.#works;
  }

  work(): void {
    this.#works++;
    this.#emitter.emit('work');
  }

  finished(uuid: string): void {
    this.#emitter.emit('finished', uuid);
  }

  elsewhere(): void {
    this.#emitter.emit('elsewhere');
    this.work();
  }

  /** Resolves at the next sign of work after the first `since` of them, after `ms` at the latest. */
  async untilWork(ms: number, { clock, since }: { clock: Clock; since: number }): Promise<void> {
    if (this.#works !== since) return;
    await this.#race(ms, clock, (wake) => {
      this.#emitter.once('work', wake);
      return () => this.#emitter.off('work', wake);
    });
  }

  /**
   * Listens for the end of a job from now on. `heard` resolves when the job may have ended (ask the queue
   * then), after `ms` at the latest; `stop` ends the listening.
   */
  listenForEnd(uuid: string, ms: number, clock: Clock): { heard: Promise<void>; stop: () => void } {
    const given = new AbortController();
    const heard = this.#race(ms, clock, (wake) => {
      const ifThis = (ended: string) => ended === uuid && wake();
      this.#emitter.on('finished', ifThis).once('elsewhere', wake);
      given.signal.addEventListener('abort', wake);
      return () => this.#emitter.off('finished', ifThis).off('elsewhere', wake);
    });
    return { heard, stop: () => given.abort() };
  }

  async #race(ms: number, clock: Clock, listen: (wake: () => void) => () => void): Promise<void> {
    const timer = new AbortController();
    let stop: (() => void) | undefined;
    const woken = new Promise<void>((resolve) => {
      stop = listen(resolve);
    });
    const late = clock.sleep(ms, timer.signal).catch((error: unknown) => {
      if (!timer.signal.aborted) throw error;
    });
    try {
      await Promise.race([woken, late]);
    } finally {
      stop?.();
      timer.abort();
    }
  }
}
