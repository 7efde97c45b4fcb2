import type { Command } from 'commander';
import type { LogEntry } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import { readPages } from '../../connection/read-pages.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { parseLimit } from '../../options/option-values.ts';
import { type Columns, type CommandOutput, columnRows, type Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';

const DEFAULT_LIMIT = 100;

export interface LimitOption {
  readonly limit?: number;
}

export const examples: Examples = [
  ['List what operators did', 'skinsmith moderation log'],
  ['List the last ten acts', 'skinsmith moderation log --limit 10'],
];

const COLUMNS = {
  at: ({ at }) => at,
  operator: ({ operator }) => operator,
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  note: ({ note }) => note,
} satisfies Columns<LogEntry>;

const FIELDS: Fields<LogEntry> = {
  id: 'number of the entry',
  at: 'when it was done',
  operator: 'name of the operator',
  action: 'what was done',
  subject: 'UUID of a skin, hash of an image, number of a report or name of a user',
  note: 'why, or the new plan of a user',
};

export const output: readonly CommandOutput[] = [
  { columns: COLUMNS, json: { shape: 'list', fields: FIELDS } },
];

const HEADER = ['WHEN', 'OPERATOR', 'ACTION', 'SUBJECT', 'NOTE'];

export function register(command: Command, runner: Runner, run = runModerationLog): void {
  command
    .description('List what operators did, newest first (operators only).')
    .option('--limit <number>', `maximum number of entries to list (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: LimitOption) => await runner(async (context) => await run(typed, context)));
}

export async function runModerationLog(
  { limit = DEFAULT_LIMIT }: LimitOption,
  context: CommandContext,
): Promise<number> {
  const { signal, messages, flags, io, clock } = context;
  const { entries, isCut } = await withAccount(context, ({ moderation }) =>
    readPages(limit, (page) => moderation.log(page, { signal })),
  );
  const rows = entries.map(({ at, operator, action, subject, note }) => [
    ago(at, clock.now()),
    operator,
    action,
    subject,
    note,
  ]);
  if (flags.json) io.out.write(jsonDocument(entries));
  else if (io.out.isTTY) io.out.write(alignedRows(HEADER, rows, io.out.columns));
  else io.out.write(columnRows(COLUMNS, entries));
  if (isCut) await messages.note(`Only the first ${limit} are shown; for more, use --limit.`);
  return exitStatus('done');
}
