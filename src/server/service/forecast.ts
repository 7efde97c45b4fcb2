import type { Generator } from '../generators/port.ts';
import { countWaitingBefore, type PendingJobs, readPending } from '../queue/lists.ts';
import type { JobRow } from '../store/schema/tables.ts';
import type { StoreContext } from './callers.ts';

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

/** The owners of the jobs ahead, or the number of those jobs. */
type Ahead = Forecast['ahead'] | number;
type Foreseen = Pick<Forecast, 'start' | 'end'> & { readonly ahead: Ahead };

/** The part of the workers that forecasts and statistics need. */
export interface Workers {
  /** Those of this process. */
  readonly count: number;
  /** Typical duration of a job, milliseconds; undefined while unknown. */
  typicalTime(): number | undefined;
  /** Whether a lease belongs to a worker of this process. */
  isOwn(leaseOwner: string): boolean;
}

export interface ForecastContext extends StoreContext {
  readonly generator: Generator;
  readonly workers: Workers;
}

/**
 * When a pending job is expected to end, in whole milliseconds since the epoch. The estimate uses the duration of the
 * latest jobs, the owner's concurrency, the other waiting jobs and the time at which the generator can start. Undefined
 * if no worker runs here or nothing is known yet.
 */
export async function expectedEnd(context: ForecastContext, job: JobRow): Promise<number | undefined> {
  const now = context.clock.now();
  const typical = context.workers.typicalTime();
  const pending = await readPending(context.db);
  const running = pending.running.find(({ uuid }) => uuid === job.uuid);
  if (running) return typical === undefined ? undefined : Math.ceil(now + restOf(running, typical, now));
  const queue = typical === undefined ? undefined : await queueOf(context, pending, { typical, now });
  const foreseen: Foreseen | undefined =
    queue && (forecast(job.uuid, queue) ?? (await farAhead(context, job, queue)));
  const ahead = foreseen?.ahead ?? (await countWaitingBefore(context.db, job));
  const opens = await generatorOpens(context, { owner: job.owner, ahead, now });
  if (!foreseen) return opens > now ? Math.ceil(opens) : undefined;
  return Math.ceil(Math.max(now + foreseen.start, opens) + foreseen.end - foreseen.start);
}

async function queueOf(
  { generator, workers }: ForecastContext,
  { running, waiting }: PendingJobs,
  { typical, now }: { typical: number; now: number },
) {
  const { processing: most = Number.POSITIVE_INFINITY, onePerIdentity = false } =
    (await generator.bounds?.()) ?? {};
  // The workers of other services on the same store are known only while they process a job.
  const others = running.filter(({ lease_owner }) => !workers.isOwn(lease_owner ?? '')).length;
  return {
    workers: Math.min(most, workers.count + others),
    typical,
    onePerIdentity,
    running: running.map((job) => ({ ...job, rest: restOf(job, typical, now) })),
    waiting: waiting.map((job) => ({ ...job, notBefore: Math.max(0, job.run_at - now) })),
  };
}

/** Estimates for a job behind more jobs than the forecast simulates: as if the workers took them one by one. */
async function farAhead(
  { db }: ForecastContext,
  job: JobRow,
  { workers, typical }: { workers: number; typical: number },
): Promise<Foreseen | undefined> {
  if (workers <= 0) return undefined;
  const ahead = await countWaitingBefore(db, job);
  const start = Math.floor(ahead / workers) * typical;
  return { start, end: start + typical, ahead };
}

async function generatorOpens(
  { generator }: ForecastContext,
  { owner, ahead, now }: { owner: string; ahead: Ahead; now: number },
): Promise<number> {
  if (generator.startsAt) return await generator.startsAt(owner, ahead);
  return now + ((await generator.pause?.()) ?? 0);
}

function restOf({ started_at }: Pick<JobRow, 'started_at'>, typical: number, now: number): number {
  return Math.max(0, (started_at ?? now) + typical - now);
}
