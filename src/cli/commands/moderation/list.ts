import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import { readPages } from '../../connection/read-pages.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { addLimitOptions, cutNote, limitOf, type TypedLimit } from '../../options/limit-options.ts';
import { columnRows } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';
import { IMAGE_COLUMNS, IMAGE_FIELDS } from './image-rows.ts';

const LISTING = { what: 'blocked images', usual: 100 };
const HEADER = ['HASH', 'BLOCKED', 'BY', 'NOTE'];

export const moderationList = {
  examples: [
    ['List blocked images', 'skinsmith moderation list'],
    ['Print all of them as JSON', 'skinsmith moderation list --all --json'],
  ],
  output: [{ columns: IMAGE_COLUMNS, json: { shape: 'list', fields: IMAGE_FIELDS } }],
  register(command: Command, runner: Runner, run = runModerationList): void {
    addLimitOptions(command, LISTING)
      .description('List blocked images by hash (operators only).')
      .action(async (typed: TypedLimit) => await runner(async (context) => await run(typed, context)));
  },
} satisfies CommandModule;

export async function runModerationList(typed: TypedLimit, context: CommandContext): Promise<number> {
  const { signal, messages, flags, io, clock } = context;
  const { entries, isCut } = await withAccount(context, ({ moderation }) =>
    readPages(limitOf(typed, LISTING), (page) => moderation.blockedImages(page, { signal })),
  );
  const rows = entries.map(({ hash, blockedAt, blockedBy, note }) => [
    hash,
    ago(blockedAt, clock.now()),
    blockedBy,
    note,
  ]);
  if (flags.json) io.out.write(jsonDocument(entries));
  else if (entries.length === 0) await messages.note('No blocked images.');
  else if (io.out.isTTY) io.out.write(alignedRows(HEADER, rows, io.out.columns));
  else io.out.write(columnRows(IMAGE_COLUMNS, entries));
  if (isCut) messages.say(cutNote(entries.length, LISTING));
  return exitStatus('done');
}
