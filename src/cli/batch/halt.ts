import type { BatchSummary } from '../../batch/options.ts';
import { classifyFailure } from '../../client/errors.ts';
import { reportOf } from '../errors/error-report.ts';
import { CliError } from '../errors/exit.ts';
import type { ServiceNaming } from '../errors/service-hints.ts';

/** The error that ends a command whose batch did not submit the rest; see `BatchSummary`. */
export function haltError({ halt }: Pick<BatchSummary, 'halt'>, naming: ServiceNaming): unknown {
  const report = reportOf(halt?.error, naming);
  const { kind } = classifyFailure(halt?.error) ?? {};
  if (!report || kind === undefined) return halt?.error;
  const isUnpaid = kind === 'no_credits';
  const then = isUnpaid ? 'Once there are credits' : 'Once it accepts them again';
  return new CliError(report.code, `The service accepts no more skins: ${report.message}`, {
    hint: report.hint ?? `${then}, run the same command again to make the rest.`,
    exit: report.exit === 'failed' ? 'refused' : report.exit,
    cause: halt?.error,
  });
}
