import { reportOf } from '../errors/error-report.ts';
import { namingOf } from '../errors/service-hints.ts';
import { CHECK_NAMES, type Check, type CheckName, type Finding, problem, skipped } from './check.ts';
import type { Setup } from './setup.ts';

export interface Examination {
  readonly setup: Setup;
  /** Aborts when the time limit for all checks has passed. */
  readonly late: AbortSignal;
  /** Aborted by the user. */
  readonly signal: AbortSignal;
}

/** Runs all checks at once and yields their findings in order. A check that misses the time limit is a problem. */
export async function* examine(
  checks: Readonly<Record<CheckName, Check>>,
  examination: Examination,
): AsyncGenerator<readonly [CheckName, Finding], void, void> {
  const begun = new Map<CheckName, Promise<Finding>>();
  for (const name of CHECK_NAMES) {
    const finding = (async () =>
      (await missing(checks[name], begun)) ?? (await lookInTime(checks[name], examination)))();
    finding.catch(() => {}); // the error is thrown where the promise is awaited
    begun.set(name, finding);
  }
  for (const [name, finding] of begun) yield [name, await finding];
}

/** Undefined if no check that this one needs has found a problem. */
async function missing(
  { needs }: Check,
  begun: ReadonlyMap<CheckName, Promise<Finding>>,
): Promise<Finding | undefined> {
  for (const need of needs) {
    const result = (await begun.get(need))?.result;
    if (result === 'problem' || result === 'skipped')
      return skipped(`Skipped: see the check of the ${need}.`);
  }
  return undefined;
}

async function lookInTime({ look }: Check, { setup, late, signal }: Examination): Promise<Finding> {
  const over = Promise.withResolvers<Finding>();
  const end = () =>
    over.resolve(problem('The request timed out.', 'Try again; --verbose shows each request.'));
  late.addEventListener('abort', end, { once: true });
  try {
    if (late.aborted) end();
    return await Promise.race([
      look(setup).catch((error: unknown) => problemOf(error, { setup, late, signal })),
      over.promise,
    ]);
  } finally {
    late.removeEventListener('abort', end);
  }
}

/** Converts an error to a finding. An error with no message for users is a bug and is rethrown. */
async function problemOf(error: unknown, { setup, late, signal }: Examination): Promise<Finding> {
  if (signal.aborted) throw error;
  if (late.aborted) return await new Promise(() => {}); // cut short, which is reported already
  const report = reportOf(error, namingOf(setup.context));
  if (!report) throw error;
  return problem(report.message, report.hint);
}
