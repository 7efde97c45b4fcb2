import type { Job } from '../../../protocol/job.ts';

/** The list at a certain moment. */
export interface SeenList {
  readonly jobs: readonly Job[];
  /** When it was requested, by the monotonic clock. */
  readonly askedAt: number;
}

type Waiter = Pick<PromiseWithResolvers<SeenList>, 'resolve' | 'reject'>;

/** Those who wait for the next list. */
export class ListWaiters {
  #waiters: readonly Waiter[] = [];

  get size(): number {
    return this.#waiters.length;
  }

  /** The next list that is requested from now on. */
  async next(signal: AbortSignal): Promise<SeenList> {
    signal.throwIfAborted();
    const list = Promise.withResolvers<SeenList>();
    const abort = () => list.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiters = [...this.#waiters, list];
    return await list.promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** A list is about to be requested. @returns gives it to those who wait now */
  asked(): (list: SeenList) => void {
    const wanted = this.#waiters;
    return (list) => {
      this.#waiters = this.#waiters.filter((waiter) => !wanted.includes(waiter));
      for (const { resolve } of wanted) resolve(list);
    };
  }

  /** No list is to be had. */
  fail(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters = [];
  }
}
