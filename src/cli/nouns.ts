import type { Command } from 'commander';
import type { AccountClient } from '../client/account-client.ts';
import type { Listed } from '../client/types.ts';
import { readPages, withAccount } from './connection/connector.ts';
import type { CommandContext } from './context/context.ts';
import { usageError } from './errors/exit.ts';
import type { SeenKind, SeenName } from './history.ts';
import { addLimitOptions, limitOf, type TypedLimit, truncationNote } from './options/option-values.ts';
import { type DoneViews, printRow, printRows, type Table, tableOutput } from './output/described.ts';
import { jsonDocument } from './text/text.ts';

/** What the requests of a command need. */
interface Reach {
  readonly account: AccountClient;
  readonly call: { readonly signal: AbortSignal };
  readonly context: CommandContext;
}

/** Connects to the service; `withAccount`, unless a noun has errors of its own. */
type Open = <T>(
  context: CommandContext,
  work: (account: AccountClient, call: Reach['call']) => Promise<T>,
) => Promise<T>;

interface Page {
  readonly after: string | undefined;
  readonly size: number;
}

/** The words that shells complete. */
type Seen<Row> = readonly [kind: SeenKind, wordOf: (row: Row) => SeenName];

interface ListOptions<Row, Typed> {
  /** What it lists, in the plural. */
  readonly what: string;
  /** How many it lists unless the user says otherwise; absent: all. */
  readonly usual?: number;
  readonly seen?: Seen<Row>;
  /** What people read if the list is empty. */
  readonly none?: (typed: Typed, context: CommandContext) => string;
  /** Adds options. */
  readonly declare?: (command: Command) => unknown;
  /** Reads a page, or everything. */
  readonly read: (reach: Reach, page: Page, typed: Typed) => Promise<Listed<Row> | readonly Row[]>;
  readonly open?: Open;
}

/** A command that lists things. */
export function listOf<Row, Typed = unknown>(table: Table<Row>, options: ListOptions<Row, Typed>) {
  const { what, usual = 0, seen, none = () => `No ${what}.`, declare, read, open = withAccount } = options;
  const listing = { what, usual };
  return {
    output: [tableOutput('list', table)],
    declare(command: Command): void {
      declare?.(command);
      if (usual > 0) addLimitOptions(command, listing);
    },
    async run(typed: NoInfer<Typed> & TypedLimit, context: CommandContext): Promise<void> {
      const limit = usual > 0 ? limitOf(typed, listing) : Number.POSITIVE_INFINITY;
      const { entries, isCut } = await open(context, (account, call) =>
        readPages(limit, async (page) => listed(await read({ account, call, context }, page, typed))),
      );
      if (seen) await context.seenNames.add(seen[0], entries.map(seen[1]));
      await printRows(entries, table, context, none(typed, context));
      if (isCut) context.messages.say(truncationNote(entries.length, listing));
    },
  };
}

function listed<Row>(answer: Listed<Row> | readonly Row[]): Listed<Row> {
  return 'next' in answer ? answer : { entries: answer, next: undefined };
}

interface OneOptions<Row> {
  readonly seen?: Seen<Row>;
  /** A note for people below it. */
  readonly note?: (row: Row, context: CommandContext) => string;
}

/** A command that prints one thing. `words`: what the user typed, options last. */
export function oneOf<Row, Words extends readonly unknown[]>(
  table: Table<Row>,
  ask: (context: CommandContext, ...words: Words) => Promise<Row>,
  { seen, note }: OneOptions<Row> = {},
) {
  return {
    output: [tableOutput('object', table)],
    async run(...given: [...words: Words, context: CommandContext]): Promise<void> {
      const context = given.at(-1) as CommandContext;
      const row = await ask(context, ...(given.slice(0, -1) as unknown as Words));
      if (seen) await context.seenNames.add(seen[0], [seen[1](row)]);
      printRow(row, table, context);
      if (note) await context.messages.note(note(row, context));
    },
  };
}

/**
 * Does the same to several things, one by one; JSON names them at the end.
 * @param act returns the id of the thing and what was done to it
 */
export async function eachOf<T>(
  things: readonly T[],
  done: DoneViews,
  context: CommandContext,
  act: (thing: T) => Promise<readonly [id: string, said: string]>,
): Promise<void> {
  const views = [];
  for (const thing of things) {
    const [id, said] = await act(thing);
    context.messages.say(said);
    views.push(done.view(id));
  }
  if (context.flags.json) context.io.out.write(jsonDocument(views));
}

/** @throws CliError if nothing was typed that changes something. `command`: such as `keys edit` */
export function verifyChange(change: object, command: string): void {
  if (Object.keys(change).length > 0) return;
  throw usageError('nothing_to_change', 'Nothing to change.', `See: skinsmith ${command} --help`);
}
