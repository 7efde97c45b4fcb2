import type { Clock } from '../../../base/clock.ts';
import type { Generator } from '../../generators/port.ts';
import { countWaitingBefore, type PendingJobs, readPending } from '../../queue/lists.ts';
import type { Db } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import { type Forecast, forecast } from './forecast.ts';

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

export interface ForecastContext {
  readonly clock: Clock;
  readonly db: Db;
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
