import { setImmediate } from 'node:timers/promises';
import { remembered } from '../../../base/caches.ts';
import type { HealthFinding, ServiceStats } from '../../../protocol/service.ts';
import { countPending, type PendingCounts } from '../../queue/lists.ts';
import type { Db } from '../../store/db.ts';
import {
  countAccounts,
  countEnded,
  countFailed,
  countFailures,
  countMade,
  type EndedJobs,
  type FailedJob,
  firstMade,
  type MadeSkins,
  newestFailures,
  type Span,
} from '../../store/stats.ts';
import { type Caller, requireOperator, type StoreContext } from '../callers.ts';
import type { Workers } from '../forecast.ts';
import type { StoreCeiling } from '../limits.ts';
import { countReportsToDecide, namesOf } from '../moderation.ts';
import { type DiagnosisContext, diagnose, type Unreadiness } from './health.ts';

/** Milliseconds for which statistics are reused, so that frequent requests do not cause frequent counts in the store. */
const FIGURES_AGE = 60_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NONE: MadeSkins = { new: 0, duplicate: 0 };

export interface StatsOptions extends StoreContext {
  readonly workers: Workers;
}

/** Statistics of the whole service. They reveal nothing about single skins or their owners. */
export class Stats {
  /** The statistics, at most a minute old. */
  readonly read: () => Promise<ServiceStats>;
  /** The last 24 hours of the clock, the current one last; at most a minute old. */
  readonly readHistory: () => Promise<readonly HourFigures[]>;

  constructor(options: StatsOptions) {
    const now = () => options.clock.monotonic();
    this.read = remembered(async () => await readStats(options), FIGURES_AGE, now);
    this.readHistory = remembered(async () => await readHistory(options), FIGURES_AGE, now);
  }
}

/** What happened in one full hour, in UTC. */
export interface HourFigures {
  /** When it began. */
  readonly from: number;
  readonly made: MadeSkins;
  readonly failed: number;
}

async function readHistory({ db, clock }: StatsOptions): Promise<readonly HourFigures[]> {
  const now = clock.now();
  const current = now - (now % HOUR);
  const hours: HourFigures[] = [];
  for (let from = current - 23 * HOUR; from <= current; from += HOUR) {
    const span = { from, to: from + HOUR };
    hours.push({ from, made: await countMade(db, span), failed: await countFailed(db, span) });
    await setImmediate(); // so that other requests do not have to wait
  }
  return hours;
}

async function readStats({ db, clock, workers }: StatsOptions): Promise<ServiceStats> {
  const now = clock.now();
  const lastHour = await countEnded(db, now - HOUR);
  const accounts = await countAccounts(db);
  const { processing } = await countPending(db);
  return {
    generated: await readGenerated(db, now, lastHour),
    generator: {
      capacity: { global: workers.count },
      active: { global: processing },
      duration: { generate: Math.round(workers.typicalTime() ?? 0), pending: Math.round(lastHour.wait ?? 0) },
    },
    accounts: { total: { global: accounts.total }, usable: { global: accounts.usable } },
    upstream: { errors: await countFailures(db, now - 10 * MINUTE) },
    timestamp: now,
  };
}

/** Hours, days, months and years follow the calendar, in UTC. */
async function readGenerated(db: Db, now: number, ended: EndedJobs): Promise<ServiceStats['generated']> {
  const [hour, day] = [now - (now % HOUR), now - (now % DAY)];
  const count = async (from: number, to: number) => await countMade(db, { from, to });
  const lastDay = await countEnded(db, now - DAY);
  const [month, year, total] = await countPeriods(db, now);
  return {
    time: {
      hour: {
        current: await count(hour, hour + HOUR),
        last: await count(hour - HOUR, hour),
        successRate: successRate(ended),
      },
      day: {
        current: await count(day, day + DAY),
        last: await count(day - DAY, day),
        successRate: successRate(lastDay),
      },
      month: { current: month },
      year: { current: year },
    },
    total,
  };
}

/** This month, this year and all time: counted in pieces, so that other requests do not have to wait. */
async function countPeriods(db: Db, now: number): Promise<[MadeSkins, MadeSkins, MadeSkins]> {
  const first = await firstMade(db);
  if (first === undefined) return [NONE, NONE, NONE];
  const before = await countAll(db, yearsBefore(first, now));
  const months = monthsUpTo(now);
  const [month, earlier] = [await countAll(db, months.slice(-1)), await countAll(db, months.slice(0, -1))];
  const year = sum(earlier, month);
  return [month, year, sum(before, year)];
}

async function countAll(db: Db, spans: readonly Span[]): Promise<MadeSkins> {
  let made = NONE;
  for (const span of spans) {
    made = sum(made, await countMade(db, span));
    await setImmediate();
  }
  return made;
}

/** The years from that of the first skin to last year. */
function yearsBefore(first: number, now: number): Span[] {
  const [from, to] = [new Date(first).getUTCFullYear(), new Date(now).getUTCFullYear()];
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => ({
    from: Date.UTC(from + n, 0),
    to: Date.UTC(from + n + 1, 0),
  }));
}

/** The months of this year, up to the current one. */
function monthsUpTo(now: number): Span[] {
  const year = new Date(now).getUTCFullYear();
  return Array.from({ length: new Date(now).getUTCMonth() + 1 }, (_, month) => ({
    from: Date.UTC(year, month),
    to: Date.UTC(year, month + 1),
  }));
}

function sum(a: MadeSkins, b: MadeSkins): MadeSkins {
  return { new: a.new + b.new, duplicate: a.duplicate + b.duplicate };
}

/** Percent, with one decimal; 0 if no job has ended. */
function successRate({ completed, failed }: EndedJobs): number {
  const all = completed + failed;
  return all === 0 ? 0 : Math.round((completed / all) * 1000) / 10;
}

export interface OverviewContext extends DiagnosisContext {
  readonly workers: Pick<Workers, 'count'>;
  readonly ceiling: StoreCeiling;
  readonly stats: Stats;
  /** Free bytes on the disk of the store; undefined: unknown, or the store is a database elsewhere. */
  readonly diskLeft: () => Promise<number | undefined>;
}

/** The service at a glance, for its operator. */
export interface Overview {
  /** Why it accepts no jobs; empty: it does. */
  readonly unready: readonly Unreadiness[];
  readonly findings: readonly HealthFinding[];
  readonly jobs: PendingCounts;
  readonly workers: Pick<Workers, 'count'>;
  /** Bytes; `most`: undefined without a limit. */
  readonly store: { readonly used: number; readonly most: number | undefined };
  readonly diskLeft: number | undefined;
  /** At most a minute old. */
  readonly stats: ServiceStats;
  readonly history: readonly HourFigures[];
  /** Of the last 24 hours, newest first. */
  readonly failures: readonly Failure[];
  readonly openReports: number;
}

/** A failed job. `user`: the name of its user, if it has one. */
export interface Failure extends FailedJob {
  readonly user: string | undefined;
}

const FAILURES = 5;

async function readFailures(db: Db, now: number): Promise<readonly Failure[]> {
  const jobs = await newestFailures(db, now - DAY, FAILURES);
  const names = await namesOf(
    db,
    jobs.map(({ owner }) => owner),
  );
  return jobs.map((job) => ({ ...job, user: names.get(job.owner) }));
}

/** May take as long as a diagnosis. @throws Refusal for callers other than the operator */
export async function readOverview(context: OverviewContext, caller: Caller): Promise<Overview> {
  requireOperator(caller);
  const { db, clock, health, ceiling, stats } = context;
  const { count } = context.workers;
  const { generator, store } = await diagnose(context, caller);
  return {
    unready: await health.unreadiness(),
    findings: [...generator.findings, ...store.findings],
    jobs: await countPending(db),
    workers: { count },
    store: ceiling.use,
    diskLeft: await context.diskLeft(),
    stats: await stats.read(),
    history: await stats.readHistory(),
    failures: await readFailures(db, clock.now()),
    openReports: await countReportsToDecide({ db }, caller),
  };
}
