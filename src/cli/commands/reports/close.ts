import type { Command } from 'commander';
import type { Report } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import type { CommandOutput } from '../../output/described.ts';
import { printReports, REPORT_LIST_OUTPUT } from './report-rows.ts';

export const examples: Examples = [
  ['Close a report and keep the skin', 'skinsmith reports close 1'],
  ['Say why, for the log', 'skinsmith reports close 1 --note "nothing wrong with it"'],
];

export const output: readonly CommandOutput[] = [REPORT_LIST_OUTPUT];

export function register(command: Command, runner: Runner, run = runReportsClose): void {
  command
    .description('Close reports without changing their skins (operators only).')
    .argument('<report...>', 'numbers of reports, as printed by reports list')
    .option('--note <text>', 'why, for the log')
    .action(
      async (ids: string[], { note }: { note?: string }) =>
        await runner(async (context) => await run(ids, note, context)),
    );
}

export async function runReportsClose(
  ids: readonly string[],
  note: string | undefined,
  context: CommandContext,
): Promise<number> {
  const closed = await withAccount(context, async ({ moderation }) => {
    const reports: Report[] = [];
    for (const id of ids)
      reports.push(await moderation.closeReport(id, { note }, { signal: context.signal }));
    return reports;
  });
  printReports(closed, context);
  return exitStatus('done');
}
