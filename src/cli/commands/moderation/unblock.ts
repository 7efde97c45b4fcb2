import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import { forService, namingOf } from '../../errors/service-hints.ts';
import type { Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { isImageHash } from './image-rows.ts';
import type { NoteOption } from './skin-decisions.ts';

interface UnblockedView {
  readonly hash: string;
  readonly unblocked: true;
}

const FIELDS: Fields<UnblockedView> = { hash: 'hash of the texture', unblocked: 'always true' };
export const moderationUnblock = {
  examples: [
    [
      'Accept an image again',
      'skinsmith moderation unblock a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',
    ],
    [
      'Accept all images again',
      'skinsmith moderation list --all | cut -f1 | xargs -r skinsmith moderation unblock',
    ],
  ],
  output: [{ json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runModerationUnblock): void {
    command
      .description('Accept blocked images again; skins that were hidden stay hidden (operators only).')
      .argument('<hash...>', 'hashes, as printed by moderation list')
      .option('--note <text>', 'why, for the log')
      .action(
        async (hashes: string[], typed: NoteOption) =>
          await runner(async (context) => await run(hashes, typed, context)),
      );
  },
} satisfies CommandModule;

export async function runModerationUnblock(
  hashes: readonly string[],
  decision: NoteOption,
  context: CommandContext,
): Promise<number> {
  const { signal, messages, flags, io } = context;
  verifyHashes(hashes, context);
  await withAccount(context, async ({ moderation }) => {
    for (const hash of hashes) {
      await moderation.unblockImage(hash, decision, { signal });
      messages.say(`Unblocked image ${hash}.`);
    }
  });
  const views = hashes.map((hash): UnblockedView => ({ hash, unblocked: true }));
  if (flags.json) io.out.write(jsonDocument(views));
  return exitStatus('done');
}

/** @throws CliError when one of them is not the hash of an image */
function verifyHashes(hashes: readonly string[], context: CommandContext): void {
  const wrong = hashes.find((hash) => !isImageHash(hash));
  if (wrong === undefined) return;
  const hint = `List the blocked images: ${forService('skinsmith moderation list', namingOf(context))}`;
  throw usageError('not_a_hash', `"${wrong}" is not the hash of an image.`, hint);
}
