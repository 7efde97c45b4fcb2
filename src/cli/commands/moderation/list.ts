import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import { readPages } from '../../connection/read-pages.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { parseLimit } from '../../options/option-values.ts';
import { type CommandOutput, columnRows } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';
import { IMAGE_COLUMNS, IMAGE_FIELDS } from './image-rows.ts';

const DEFAULT_LIMIT = 100;

export interface LimitOption {
  readonly limit?: number;
}

export const examples: Examples = [
  ['List blocked images', 'skinsmith moderation list'],
  ['List up to 500 of them as JSON', 'skinsmith moderation list --limit 500 --json'],
];

export const output: readonly CommandOutput[] = [
  { columns: IMAGE_COLUMNS, json: { shape: 'list', fields: IMAGE_FIELDS } },
];

const HEADER = ['HASH', 'BLOCKED', 'BY', 'NOTE'];

export function register(command: Command, runner: Runner, run = runModerationList): void {
  command
    .description('List blocked images by hash (operators only).')
    .option('--limit <number>', `maximum number of images to list (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: LimitOption) => await runner(async (context) => await run(typed, context)));
}

export async function runModerationList(
  { limit = DEFAULT_LIMIT }: LimitOption,
  context: CommandContext,
): Promise<number> {
  const { signal, messages, flags, io, clock } = context;
  const { entries, isCut } = await withAccount(context, ({ moderation }) =>
    readPages(limit, (page) => moderation.blockedImages(page, { signal })),
  );
  const rows = entries.map(({ hash, blockedAt, blockedBy, note }) => [
    hash,
    ago(blockedAt, clock.now()),
    blockedBy,
    note,
  ]);
  if (flags.json) io.out.write(jsonDocument(entries));
  else if (io.out.isTTY) io.out.write(alignedRows(HEADER, rows, io.out.columns));
  else io.out.write(columnRows(IMAGE_COLUMNS, entries));
  if (isCut) await messages.note(`Only the first ${limit} are shown; for more, use --limit.`);
  return exitStatus('done');
}
