import type { Command } from 'commander';
import type { Report } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import { forService, namingOf } from '../../errors/service-hints.ts';
import { nonEmptyWords } from '../../options/option-values.ts';
import { printReports, REPORT_LIST_OUTPUT } from './report-rows.ts';

export const reportsClose = {
  examples: [
    ['Close a report and keep the skin', 'skinsmith reports close 1'],
    ['Say why, for the log', 'skinsmith reports close 1 --note "nothing wrong with it"'],
  ],
  output: [REPORT_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runReportsClose): void {
    command
      .description('Close reports without changing their skins (operators only).')
      .argument('<report...>', 'numbers of reports, as printed by reports list', nonEmptyWords)
      .option('--note <text>', 'why, for the log')
      .action(
        async (ids: string[], { note }: { note?: string }) =>
          await runner(async (context) => await run(ids, note, context)),
      );
  },
} satisfies CommandModule;

export async function runReportsClose(
  ids: readonly string[],
  note: string | undefined,
  context: CommandContext,
): Promise<number> {
  verifyNumbers(ids, context);
  const closed = await withAccount(context, async ({ moderation }) => {
    const reports: Report[] = [];
    for (const id of ids)
      reports.push(await moderation.closeReport(id, { note }, { signal: context.signal }));
    return reports;
  });
  printReports(closed, context);
  return exitStatus('done');
}

/** @throws CliError when one of them is not the number of a report */
function verifyNumbers(ids: readonly string[], context: CommandContext): void {
  const wrong = ids.find((id) => !/^[1-9]\d{0,14}$/.test(id));
  if (wrong === undefined) return;
  const hint = `List the reports: ${forService('skinsmith reports list', namingOf(context))}`;
  throw usageError('not_a_report', `${wrong} is not the number of a report.`, hint);
}
