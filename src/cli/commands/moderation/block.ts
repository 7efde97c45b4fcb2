import type { Command } from 'commander';
import { isUuid } from '../../../base/uuid.ts';
import type { BlockInput } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import type { Fields } from '../../output/described.ts';
import { columnRows } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { type BlockedView, IMAGE_COLUMNS, IMAGE_FIELDS, isImageHash } from './image-rows.ts';
import type { NoteOption } from './skin-decisions.ts';

const COLUMNS = { ...IMAGE_COLUMNS, hidden: ({ hidden }: BlockedView) => String(hidden) };
const FIELDS: Fields<BlockedView> = {
  ...IMAGE_FIELDS,
  hidden: 'number of skins that were hidden because they have the image',
};
export const moderationBlock = {
  examples: [
    ['Block the image of a skin', 'skinsmith moderation block SKIN'],
    [
      'Block an image by its hash',
      'skinsmith moderation block a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 --note "stolen"',
    ],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runModerationBlock): void {
    command
      .description(
        'Block images (operators only).\n' +
          'A blocked image is refused, whatever file it comes in, and no longer served. Skins that have it are hidden.',
      )
      .argument('<image...>', 'hashes of textures, or UUIDs of skins that have the image')
      .option('--note <text>', 'why, for the log')
      .action(
        async (images: string[], typed: NoteOption) =>
          await runner(async (context) => await run(images, typed, context)),
      );
  },
} satisfies CommandModule;

export async function runModerationBlock(
  images: readonly string[],
  { note }: NoteOption,
  context: CommandContext,
): Promise<number> {
  const { signal, flags, io } = context;
  const wishes = images.map((image) => wishFor(image, note));
  const blocked = await withAccount(context, async ({ moderation }) => {
    const views: BlockedView[] = [];
    for (const wish of wishes) {
      const { image, hidden } = await moderation.blockImage(wish, { signal });
      views.push({ ...image, hidden });
    }
    return views;
  });
  io.out.write(flags.json ? jsonDocument(blocked) : columnRows(COLUMNS, blocked));
  return exitStatus('done');
}

/** @throws CliError for what is neither a hash nor a UUID */
function wishFor(image: string, note: string | undefined): BlockInput {
  if (isImageHash(image)) return { hash: image, note };
  if (isUuid(image)) return { skin: image, note };
  throw usageError('not_an_image', `"${image}" is neither the hash of an image nor the UUID of a skin.`);
}
