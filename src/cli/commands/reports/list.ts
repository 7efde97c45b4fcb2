import { type Command, Option } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import { readPages } from '../../connection/read-pages.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { addLimitOptions, cutNote, limitOf, type TypedLimit } from '../../options/limit-options.ts';
import { printReports, REPORT_LIST_OUTPUT } from './report-rows.ts';

const LISTING = { what: 'reports', usual: 100 };

export interface ReportsListOptions extends TypedLimit {
  readonly state?: 'open' | 'closed';
}

export const reportsList = {
  examples: [
    ['List open reports, newest first', 'skinsmith reports list'],
    ['List reports that were decided', 'skinsmith reports list --state closed'],
  ],
  output: [REPORT_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runReportsList): void {
    command
      .description('List reports of skins, newest first (operators only).')
      .addOption(
        new Option('--state <state>', 'which reports to list (default: open)').choices(['open', 'closed']),
      );
    addLimitOptions(command, LISTING).action(
      async (typed: ReportsListOptions) => await runner(async (context) => await run(typed, context)),
    );
  },
} satisfies CommandModule;

export async function runReportsList(
  { state = 'open', ...typed }: ReportsListOptions,
  context: CommandContext,
): Promise<number> {
  const { signal, flags, messages } = context;
  const { entries, isCut } = await withAccount(context, ({ moderation }) =>
    readPages(limitOf(typed, LISTING), (page) => moderation.reports({ ...page, state }, { signal })),
  );
  if (entries.length === 0 && !flags.json) await messages.note(`No ${state} reports.`);
  else printReports(entries, context);
  if (isCut) messages.say(cutNote(entries.length, LISTING));
  return exitStatus('done');
}
