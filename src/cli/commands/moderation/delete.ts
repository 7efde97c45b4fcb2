import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import { skinsText, verifyUuids } from '../../connection/skin-uuids.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Fields } from '../../output/described.ts';
import { confirm } from '../../terminal/confirm.ts';
import { jsonDocument } from '../../text/json.ts';
import { describeDecision, type NoteOption } from './skin-decisions.ts';

interface ModerationDeleteOptions extends NoteOption {
  /** Skip the confirmation. */
  readonly yes?: boolean;
}

interface DeletedView {
  readonly uuid: string;
  readonly deleted: true;
}

const FIELDS: Fields<DeletedView> = { uuid: 'UUID of the skin', deleted: 'always true' };
export const moderationDelete = {
  examples: [
    ['Delete a skin of anybody without being asked', 'skinsmith moderation delete SKIN --yes'],
    ['Say why, for the log', 'skinsmith moderation delete OTHER --yes --note "asked by its artist"'],
  ],
  output: [{ json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runModerationDelete): void {
    describeDecision(
      command.description(
        'Delete skins of anybody for good, and close their reports (operators only).\n' +
          'Asks for confirmation first; without a terminal, --yes is required.',
      ),
    )
      .option('-y, --yes', 'do not ask for confirmation')
      .action(
        async (uuids: string[], typed: ModerationDeleteOptions) =>
          await runner(async (context) => await run(uuids, typed, context)),
      );
  },
} satisfies CommandModule;

export async function runModerationDelete(
  uuids: readonly string[],
  { yes, ...decision }: ModerationDeleteOptions,
  context: CommandContext,
): Promise<number> {
  const { signal, messages, flags, io } = context;
  verifyUuids(uuids, context);
  if (!yes && !(await confirm(`Delete ${skinsText(uuids)}? This cannot be undone.`, context))) {
    messages.say('Nothing was deleted.');
    return exitStatus('failed');
  }
  await withAccount(context, async ({ moderation }) => {
    for (const uuid of uuids) {
      await moderation.deleteSkin(uuid, decision, { signal });
      messages.say(`Deleted skin ${uuid}.`);
    }
  });
  const views = uuids.map((uuid): DeletedView => ({ uuid, deleted: true }));
  if (flags.json) io.out.write(jsonDocument(views));
  return exitStatus('done');
}
