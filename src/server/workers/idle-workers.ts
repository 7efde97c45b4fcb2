import { type Clock, sleepOrEvent } from '../../base/clock.ts';

/** Maximum milliseconds that workers sleep, in case a sign is missing. */
const IDLE = 5_000;

interface Sleeper {
  readonly wake: () => void;
  /** When its timer ends (monotonic); without one, it sleeps until woken. */
  readonly until: number | undefined;
}

/**
 * The idle workers of a process. Wakes as many as there are new jobs. Together, they check once when the next job is
 * due, because each check is a statement to the store.
 */
export class IdleWorkers {
  readonly #clock: Clock;
  #asleep: Sleeper[] = [];
  #signs = 0;
  /** Announced jobs that no worker here has taken. While there are some, the cached facts may be outdated. */
  #announced = Number.POSITIVE_INFINITY;
  /** When the next job is due. */
  #due: Promise<number | undefined> = Promise.resolve(undefined);
  /** The number of signs when nothing waited any more. */
  #emptyAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of signs of work so far. Read it before checking for work. */
  get signs(): number {
    return this.#signs;
  }

  /** Whether an unclaimed job may be waiting. */
  get mayBeWork(): boolean {
    return this.#emptyAt !== this.#signs;
  }

  /** There may be that many new jobs. */
  wake(jobs = Number.POSITIVE_INFINITY): void {
    this.#signs++;
    this.#announced += jobs;
    this.#asleep.sort((a, b) => (a.until ?? 0) - (b.until ?? 0)); // the ones with timers wake the others
    for (const { wake } of this.#asleep.splice(0, jobs)) wake();
  }

  /** A job has gone back to the queue. */
  stir(): void {
    this.#signs++;
    this.forget();
  }

  /** The time of the next job may have changed. */
  forget(): void {
    this.#announced = Number.POSITIVE_INFINITY;
  }

  /** A worker has taken a job with a check that began after `since` signs. */
  taken({ since, isLast }: { since: number; isLast: boolean }): void {
    this.#announced = Math.max(0, this.#announced - 1);
    if (isLast) this.#emptyAt = since;
  }

  /** Sleeps until a sign after the first `since` ones, or until a job is due. */
  async sleepUntilWork(since: number, nextRunAt: () => Promise<number | undefined>): Promise<void> {
    const due = await this.#nextDue(nextRunAt);
    await this.sleep(due === undefined ? IDLE : Math.max(1, due - this.#clock.now()), since);
  }

  /** Sleeps until a sign after the first `since` ones, for at most `ms`. */
  async sleep(ms: number, since: number): Promise<void> {
    if (this.#signs !== since) return;
    const most = Math.min(IDLE, ms);
    const until = this.#clock.monotonic() + most;
    const isFirst = this.#asleep.every((other) => other.until === undefined || other.until > until);
    await sleepOrEvent(this.#clock, isFirst ? most : undefined, (wake) => {
      const sleeper = { wake, until: isFirst ? until : undefined };
      this.#asleep.push(sleeper);
      return () => this.#leave(sleeper);
    });
  }

  /** A worker that still sleeps here was woken by its timer, which was for all. */
  #leave(sleeper: Sleeper): void {
    const at = this.#asleep.indexOf(sleeper);
    if (at < 0) return;
    this.#asleep.splice(at, 1);
    this.wake();
  }

  async #nextDue(nextRunAt: () => Promise<number | undefined>): Promise<number | undefined> {
    if (this.#announced > 0 || ((await this.#due) ?? Number.POSITIVE_INFINITY) <= this.#clock.now()) {
      this.#announced = 0;
      this.#due = nextRunAt();
      this.#due.catch(() => this.forget());
    }
    return await this.#due;
  }
}
