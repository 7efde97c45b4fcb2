import type { RateLimit } from '../../protocol/envelope.ts';
import type { ErrorCode } from '../../protocol/errors.ts';
import { isPending } from '../../protocol/job.ts';
import type { Via } from '../store/tables.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { readRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/** How a request of version 1 is taken: by the rules of its own, or through the queue of version 2 and by its rules. */
export type V1Via = Extract<Via, 'v1' | 'queue'>;

/** The caller's key may say that all its requests go through the queue; each request may ask for it. */
export function viaFor(caller: Caller, isAskedFor: boolean): V1Via {
  const isSetting = caller.kind === 'user' && caller.key?.v2Compat === true;
  return isAskedFor || isSetting ? 'queue' : 'v1';
}

/**
 * Milliseconds that a caller is told to wait after a new skin: all of the delay, although it began when the request
 * was accepted. Old clients count it from different moments, and none of them may come too early.
 */
export function waitAfterNew({ next, delay }: RateLimit): number {
  return Math.max(next.relative, delay.millis);
}

/** Troubles in which the store is better not asked again. */
const OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['internal_error', 'service_unavailable']);
/** Refusals that end when one of the caller's jobs does. */
const WAITING_FOR_JOBS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['concurrency_limit', 'job_limit']);

interface Asking {
  readonly caller: Caller;
  readonly via: V1Via;
}

/** The same refusal, that also tells when the next request may come, and by which rules it was taken. */
export async function refusalWithPace(
  context: ServiceContext,
  { code, message, cause, details }: Refusal,
  { headers, ...asking }: Asking & { readonly headers: Readonly<Record<string, string>> },
): Promise<Refusal> {
  if (OURS.has(code)) return new Refusal(code, { ...details, message, cause, headers });
  const rateLimit = await paceAfter(context, code, asking);
  return new Refusal(code, { ...details, message, cause, headers, rateLimit });
}

async function paceAfter(
  context: ServiceContext,
  code: ErrorCode,
  { caller, via }: Asking,
): Promise<RateLimit> {
  const now = context.clock.now();
  const rateLimit = await readRateLimit(context.db, caller, now, via);
  if (!WAITING_FOR_JOBS.has(code)) return rateLimit;
  const relative = Math.max(rateLimit.next.relative, await untilJobEnds(context, caller));
  return { ...rateLimit, next: { absolute: now + relative, relative } };
}

/** Milliseconds until the caller's oldest job is done, as far as is known. */
async function untilJobEnds({ queue, expectedWait }: ServiceContext, { owner }: Caller): Promise<number> {
  const oldest = (await queue.list(owner, 1)).findLast(({ status }) => isPending(status));
  if (!oldest) return 0;
  return Math.ceil(expectedWait(oldest.uuid, await queue.waitingBefore(oldest)) ?? 0);
}
