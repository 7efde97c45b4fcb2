/**
 * When a waiting job will start: simulates future claims (claim.ts). Assumes that every generation takes the
 * typical time and that no further jobs are accepted. Times in milliseconds from now.
 */
export interface QueueForecast {
  /** Jobs that can be processed at the same time, over all nodes. */
  readonly workers: number;
  /** Duration of a generation. */
  readonly typical: number;
  /** Whether a job waits while another for the same skin data is in progress. */
  readonly onePerIdentity: boolean;
  readonly running: readonly ForecastJob[];
  /** In turn order. */
  readonly waiting: readonly WaitingJob[];
}

export interface ForecastJob {
  readonly owner: string;
  readonly identity: string;
  /** Time until it is done. */
  readonly rest: number;
}

export interface WaitingJob {
  readonly uuid: string;
  readonly owner: string;
  readonly identity: string;
  readonly concurrency: number;
  readonly burst: number;
  /** Time until it may start. */
  readonly notBefore: number;
}

export interface Forecast {
  readonly start: number;
  readonly end: number;
  /** Owners of the jobs that start before it, in order. */
  readonly ahead: readonly string[];
}

/** Undefined if no worker runs, or the job is not waiting. */
export function forecast(uuid: string, queue: QueueForecast): Forecast | undefined {
  if (queue.workers <= 0 || !queue.waiting.some((job) => job.uuid === uuid)) return undefined;
  const future = new Future(queue);
  for (const ahead: string[] = []; ; ) {
    const job = future.begin();
    if (job?.uuid === uuid) return { start: future.time, end: future.time + future.durationOf(job), ahead };
    if (job) ahead.push(job.owner);
    else if (!future.proceed()) return undefined;
  }
}

interface OwnerQueue {
  running: number;
  /** Places of its jobs in the order of turns. */
  readonly waiting: number[];
}

/** Every submission needs a forecast, so a step allocates no lists. */
class Future {
  time = 0;
  readonly #queue: QueueForecast;
  readonly #lines = new Map<string, OwnerQueue>();
  /** Skin data that will exist by then. */
  readonly #made = new Set<string>();
  #running: ForecastJob[];

  constructor(queue: QueueForecast) {
    this.#queue = queue;
    this.#running = [...queue.running];
    for (const { owner } of queue.running) this.#lineOf(owner).running++;
    for (const [place, { owner }] of queue.waiting.entries()) this.#lineOf(owner).waiting.push(place);
  }

  durationOf({ identity }: WaitingJob): number {
    return this.#made.has(identity) ? 0 : this.#queue.typical;
  }

  /** Starts the next job; undefined if none can start now. */
  begin(): WaitingJob | undefined {
    if (this.#running.length >= this.#queue.workers) return undefined;
    const place = this.#nextPlace();
    const job = place === undefined ? undefined : this.#queue.waiting[place];
    if (place === undefined || !job) return undefined;
    const { owner, identity } = job;
    const line = this.#lineOf(owner);
    line.waiting.splice(line.waiting.indexOf(place), 1);
    line.running++;
    this.#running.push({ owner, identity, rest: this.time + this.durationOf(job) });
    return job;
  }

  /** Advances to the next change. False if there is none. */
  proceed(): boolean {
    let next = Number.POSITIVE_INFINITY;
    for (const { rest } of this.#running) next = Math.min(next, rest);
    for (const { notBefore } of this.#queue.waiting)
      if (notBefore > this.time) next = Math.min(next, notBefore);
    if (!Number.isFinite(next)) return false;
    this.time = Math.max(this.time, next);
    this.#running = this.#running.filter((job) => job.rest > this.time || this.#end(job));
    return true;
  }

  /** @returns false: it no longer runs */
  #end({ owner, identity }: ForecastJob): false {
    this.#lineOf(owner).running--;
    this.#made.add(identity);
    return false;
  }

  /** The place of the first of all owners' next jobs that is within its owner's concurrency, else within the burst. */
  #nextPlace(): number | undefined {
    let [within, bursting] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const line of this.#lines.values()) {
      const place = this.#headOf(line);
      const job = place === undefined ? undefined : this.#queue.waiting[place];
      if (place === undefined || !job) continue;
      if (line.running < job.concurrency) within = Math.min(within, place);
      if (line.running < job.burst) bursting = Math.min(bursting, place);
    }
    const place = Number.isFinite(within) ? within : bursting;
    return Number.isFinite(place) ? place : undefined;
  }

  #headOf({ waiting }: OwnerQueue): number | undefined {
    for (const place of waiting) {
      const job = this.#queue.waiting[place];
      if (job && job.notBefore <= this.time && !this.#hasTwin(job)) return place;
    }
    return undefined;
  }

  #hasTwin({ identity }: WaitingJob): boolean {
    return this.#queue.onePerIdentity && this.#running.some((running) => running.identity === identity);
  }

  #lineOf(owner: string): OwnerQueue {
    let line = this.#lines.get(owner);
    if (line === undefined) {
      line = { running: 0, waiting: [] };
      this.#lines.set(owner, line);
    }
    return line;
  }
}
