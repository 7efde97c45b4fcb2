import { type Command, Option } from 'commander';
import { REPORT_REASONS, type ReportInput } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { verifyUuids } from '../../connection/skin-uuids.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';

interface ReportedView {
  readonly uuid: string;
  readonly reported: true;
}

const FIELDS: Fields<ReportedView> = { uuid: 'UUID of the skin', reported: 'always true' };
export const reportsCreate = {
  examples: [
    ['Report a skin', 'skinsmith reports create SKIN --reason offensive'],
    ['Say more about it', 'skinsmith reports create SKIN --reason copyright --text "I drew it"'],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runReportsCreate): void {
    command
      .description('Report a skin to the operators of a skinsmith service. No API key is needed.')
      .argument('<uuid>', 'UUID of the skin')
      .addOption(
        new Option('--reason <reason>', 'what is wrong').choices(REPORT_REASONS).makeOptionMandatory(),
      )
      .option('--text <text>', 'more about it, at most 500 characters')
      .action(
        async (uuid: string, report: ReportInput) =>
          await runner(async (context) => await run(uuid, report, context)),
      );
  },
} satisfies CommandModule;

export async function runReportsCreate(
  uuid: string,
  report: ReportInput,
  context: CommandContext,
): Promise<number> {
  verifyUuids([uuid], context);
  const { client } = await connectWithProgress(await context.settings(), context);
  await client.reportSkin(uuid, report, { signal: context.signal });
  context.messages.say('The operator has been told.');
  const view: ReportedView = { uuid, reported: true };
  if (context.flags.json) context.io.out.write(jsonDocument(view));
  return exitStatus('done');
}
