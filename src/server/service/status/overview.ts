import type { HealthFinding, ServiceStats } from '../../../protocol/service.ts';
import { countPending, type PendingCounts } from '../../queue/forecast.ts';
import { type Caller, requireOperator } from '../callers/caller.ts';
import type { Workers } from '../forecast/expected-end.ts';
import type { StoreCeiling } from '../limits/store-ceiling.ts';
import { countReportsToDecide } from '../moderation/reports.ts';
import { type DiagnosisContext, diagnose, type Unreadiness } from './health.ts';
import type { Stats } from './stats.ts';

export interface OverviewContext extends DiagnosisContext {
  readonly workers: Pick<Workers, 'count'>;
  readonly ceiling: StoreCeiling;
  readonly stats: Stats;
}

/** The service at a glance, as its operator sees it. */
export interface Overview {
  /** Why it takes no work; empty: it does. */
  readonly unready: readonly Unreadiness[];
  readonly findings: readonly HealthFinding[];
  readonly jobs: PendingCounts;
  readonly workers: Pick<Workers, 'count'>;
  /** Bytes; `most`: undefined without a limit. */
  readonly store: { readonly used: number; readonly most: number | undefined };
  /** At most a minute old. */
  readonly stats: ServiceStats;
  readonly openReports: number;
}

/** May take as long as a diagnosis. @throws Refusal for callers other than the operator */
export async function readOverview(context: OverviewContext, caller: Caller): Promise<Overview> {
  requireOperator(caller);
  const { db, health, ceiling, stats } = context;
  const { count } = context.workers;
  const { generator, store } = await diagnose(context, caller);
  return {
    unready: await health.unreadiness(),
    findings: [...generator.findings, ...store.findings],
    jobs: await countPending(db),
    workers: { count },
    store: ceiling.use,
    stats: await stats.read(),
    openReports: await countReportsToDecide({ db }, caller),
  };
}
