import type { Command } from 'commander';
import type { LogEntry } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import { readPages } from '../../connection/read-pages.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { addLimitOptions, cutNote, limitOf, type TypedLimit } from '../../options/limit-options.ts';
import { type Columns, columnRows, type Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';

const LISTING = { what: 'entries', usual: 100 };
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
const HEADER = ['WHEN', 'OPERATOR', 'ACTION', 'SUBJECT', 'NOTE'];

export const moderationLog = {
  examples: [
    ['List what operators did', 'skinsmith moderation log'],
    ['List the last ten entries', 'skinsmith moderation log --limit 10'],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runModerationLog): void {
    addLimitOptions(command, LISTING)
      .description('List what operators did, newest first (operators only).')
      .action(async (typed: TypedLimit) => await runner(async (context) => await run(typed, context)));
  },
} satisfies CommandModule;

export async function runModerationLog(typed: TypedLimit, context: CommandContext): Promise<number> {
  const { signal, messages, flags, io, clock } = context;
  const { entries, isCut } = await withAccount(context, ({ moderation }) =>
    readPages(limitOf(typed, LISTING), (page) => moderation.log(page, { signal })),
  );
  const rows = entries.map(({ at, operator, action, subject, note }) => [
    ago(at, clock.now()),
    operator,
    action,
    subject,
    note,
  ]);
  if (flags.json) io.out.write(jsonDocument(entries));
  else if (entries.length === 0) await messages.note('No entries.');
  else if (io.out.isTTY) io.out.write(alignedRows(HEADER, rows, io.out.columns, HEADER.indexOf('SUBJECT')));
  else io.out.write(columnRows(COLUMNS, entries));
  if (isCut) messages.say(cutNote(entries.length, LISTING));
  return exitStatus('done');
}
