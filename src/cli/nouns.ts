import type { Command } from 'commander';
import { bareUuid, isUuid } from '../base/text.ts';
import type { AccountClient } from '../client/account-client.ts';
import { ServiceError, UnreadableAnswerError } from '../client/errors.ts';
import type { BulkEdited, Listed } from '../client/types.ts';
import type { Cape } from '../protocol/cape.ts';
import type { Settings } from './config/settings.ts';
import { type CommandContext, connectWithProgress } from './context/context.ts';
import { CliError, exitStatus, usageError } from './errors/exit.ts';
import { forService, type ServiceNaming } from './errors/service-hints.ts';
import type { SeenKind, SeenName } from './history.ts';
import { addLimitOptions, limitOf, type TypedLimit, truncationNote } from './options/option-values.ts';
import { type DoneViews, printRow, printRows, type Table, tableOutput } from './output/described.ts';
import { type Messages, printFailure } from './terminal/messages.ts';
import { addYesOption, agrees, type TypedYes } from './terminal/read-input.ts';
import { jsonDocument } from './text/text.ts';

/** What a request is sent with. */
interface Call {
  readonly signal: AbortSignal;
}

/** A request of the service's account manager. */
export type Request<T> = (account: AccountClient, call: Call) => Promise<T>;

interface Reach {
  readonly account: AccountClient;
  readonly call: Call;
  readonly context: CommandContext;
}

/** Connects to the service and sends a request; `withAccount`, unless a noun has errors of its own. */
type Open = <T>(context: CommandContext, work: Request<T>) => Promise<T>;

interface Page {
  readonly after: string | undefined;
  readonly size: number;
}

/** The words that shells complete. */
type Seen<Row> = readonly [kind: SeenKind, wordOf: (row: Row) => SeenName];

interface ListOptions<Row, Typed> {
  readonly what: string;
  /** How many it lists unless the user says otherwise; absent: all. */
  readonly usual?: number;
  readonly seen?: Seen<Row>;
  /** What people read if the list is empty. */
  readonly none?: (typed: Typed, context: CommandContext) => string;
  readonly declare?: (command: Command) => unknown;
  /** Reads a page, or everything. */
  readonly read: (reach: Reach, page: Page, typed: Typed) => Promise<Listed<Row> | readonly Row[]>;
  readonly open?: Open;
}

/** What `run` of a command gets: the words that the user typed, options if the command has any, and the context. */
type Given<Words extends readonly unknown[], Typed> =
  | [...words: Words, typed: Typed, context: CommandContext]
  | [...words: Words, context: CommandContext];

interface Run<Words extends readonly unknown[], Typed, Status> {
  (...given: [...words: Words, context: CommandContext]): Promise<Status>;
  (...given: [...words: Words, typed: Typed, context: CommandContext]): Promise<Status>;
}

/** @param words how many arguments the command has */
function partsOf<Typed>(given: readonly unknown[], words = 0): { typed: Typed; context: CommandContext } {
  const typed = given.length > words + 1 ? given[words] : {};
  return { typed: typed as Typed, context: given.at(-1) as CommandContext };
}

export function listOf<Row, Typed = unknown>(table: Table<Row>, options: ListOptions<Row, Typed>) {
  const { what, usual = 0, seen, none = () => `No ${what}.`, declare, read, open = withAccount } = options;
  const listing = { what, usual };
  const run: Run<[], NoInfer<Typed> & TypedLimit, void> = async (...given: Given<[], Typed & TypedLimit>) => {
    const { typed, context } = partsOf<Typed & TypedLimit>(given);
    const limit = usual > 0 ? limitOf(typed, listing) : Number.POSITIVE_INFINITY;
    const { entries, isCut } = await open(context, (account, call) =>
      readPages(limit, async (page) => listed(await read({ account, call, context }, page, typed))),
    );
    if (seen) await context.seenNames.add(seen[0], entries.map(seen[1]));
    await printRows(entries, table, context, none(typed, context));
    if (isCut) context.messages.say(truncationNote(entries.length, listing));
  };
  return {
    output: [tableOutput('list', table)],
    declare(command: Command): void {
      declare?.(command);
      if (usual > 0) addLimitOptions(command, listing);
    },
    run,
  };
}

function listed<Row>(answer: Listed<Row> | readonly Row[]): Listed<Row> {
  return 'next' in answer ? answer : { entries: answer, next: undefined };
}

interface OneOptions<Row> {
  readonly seen?: Seen<Row>;
  readonly note?: (row: Row, context: CommandContext) => string;
  readonly open?: Open;
}

/**
 * A command that prints one thing.
 * @param ask gets what the user typed, options last, before the command connects, and returns the request
 */
export function oneOf<Row, Words extends readonly unknown[]>(
  table: Table<Row>,
  ask: (context: CommandContext, ...words: Words) => Request<Row> | Promise<Request<Row>>,
  { seen, note, open = withAccount }: OneOptions<Row> = {},
) {
  return {
    output: [tableOutput('object', table)],
    async run(...given: [...words: Words, context: CommandContext]): Promise<void> {
      const context = given.at(-1) as CommandContext;
      const row = await open(context, await ask(context, ...(given.slice(0, -1) as unknown as Words)));
      if (seen) await context.seenNames.add(seen[0], [seen[1](row)]);
      printRow(row, table, context);
      if (note) await context.messages.note(note(row, context));
    },
  };
}

interface EachOptions<T, Typed> {
  /** Adds the argument with the words, and options. */
  readonly declare: (command: Command) => Command;
  /** @throws CliError for words that are none of these things */
  readonly verify?: (words: readonly string[], context: CommandContext, typed: Typed) => void;
  readonly question?: (words: readonly string[], typed: Typed) => string;
  /** Finds every thing before anything is done to any; absent: the words are the things. */
  readonly find?: (words: readonly string[], reach: Reach, typed: Typed) => Promise<readonly T[]>;
  /** Returns the id of the thing and what was done to it. */
  readonly act: (thing: T, reach: Reach, typed: Typed) => Promise<readonly [id: string, said: string]>;
}

/** A command that does the same to several things, one by one; JSON names them at the end. */
export function eachOf<T = string, Typed = unknown>(done: DoneViews, options: EachOptions<T, Typed>) {
  const { declare, verify, question, find = async (words) => words as readonly T[], act } = options;
  const run: Run<[words: readonly string[]], NoInfer<Typed> & TypedYes, number> = async (
    ...given: Given<[words: readonly string[]], Typed & TypedYes>
  ) => {
    const [words] = given;
    const { typed, context } = partsOf<Typed & TypedYes>(given, 1);
    verify?.(words, context, typed);
    const asked = question?.(words, typed);
    if (asked !== undefined && !(await agrees(asked, { yes: typed.yes, done: done.done }, context)))
      return exitStatus('failed');
    await withAccount(context, async (account, call) => {
      const reach = { account, call, context };
      const views = [];
      for (const thing of await find(words, reach, typed)) {
        const [id, said] = await act(thing, reach, typed);
        context.messages.say(said);
        views.push(done.view(id));
      }
      if (context.flags.json) context.io.out.write(jsonDocument(views));
    });
    return exitStatus('done');
  };
  return {
    output: [{ json: { shape: 'list' as const, fields: done.fields } }],
    declare: (command: Command) => (question ? addYesOption(declare(command)) : declare(command)),
    run,
  };
}

/** @throws CliError if nothing was typed that changes something. `command`: such as `keys edit` */
export function verifyChange(change: object, command: string): void {
  if (Object.keys(change).length > 0) return;
  throw usageError('nothing_to_change', 'Nothing to change.', `See: skinsmith ${command} --help`);
}

/** What a request needs to reach the configured service. */
type Connector = Pick<CommandContext, 'messages' | 'signal' | 'settings' | 'connect'>;

/** Calls `work` with the service's account manager. @throws CliError `no_account_api` when the service has none */
export async function withAccount<T>(context: Connector, work: Request<T>): Promise<T> {
  const { client } = await connectWithProgress(await context.settings(), context);
  try {
    return await work(client.account, { signal: context.signal });
  } catch (cause) {
    if (!mayBeForeign(cause) || (await hasKeys(client.account, context.signal))) throw cause;
    throw new CliError('no_account_api', `${client.baseUrl} cannot manage keys and users.`, {
      hint:
        'Only a skinsmith service can. Manage keys of the hosted service on its account site; ' +
        'to store one, use skinsmith login.',
      cause,
    });
  }
}

/** Whether the error means "not found", for the resource or for the account manager as a whole. */
function mayBeForeign(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 404 || error.status === 405;
  return error instanceof UnreadableAnswerError && !error.isPassing;
}

async function hasKeys(account: AccountClient, signal: AbortSignal): Promise<boolean> {
  try {
    await account.keys(undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    return !mayBeForeign(error);
  }
}

/** Statuses of a service that lacks the operation. */
const NO_SUCH_OPERATION = [404, 405, 501];

interface Offer {
  /** What a service without it cannot do. */
  readonly what: string;
  /** The codes of errors with which a supporting service reports that the resource itself does not exist. */
  readonly about: readonly string[];
}

/**
 * Sends a request that not every service supports.
 * @throws CliError `not_offered`
 */
export async function whereOffered<T>({ what, about }: Offer, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof UnreadableAnswerError)) throw error;
    if (!NO_SUCH_OPERATION.includes(error.status) || about.includes(error.code)) throw error;
    throw new CliError('not_offered', `This service cannot ${what}.`, {
      hint: 'A skinsmith service can. Choose another service with --base-url.',
      cause: error,
    });
  }
}

/** Requests that not every service supports, see `whereOffered`. */
export function offered(offer: Offer): Open {
  return async (context, work) => {
    const { client } = await connectWithProgress(await context.settings(), context);
    return await whereOffered(offer, () => work(client.account, { signal: context.signal }));
  };
}

/** Resolves a cape's UUID or alias to its UUID. @throws CliError */
export async function capeNamed(
  name: string,
  {
    settings,
    context,
    isOffline,
  }: { settings: Settings; context: Connector & ServiceNaming; isOffline: boolean },
): Promise<string> {
  if (isUuid(name)) return bareUuid(name);
  if (isOffline) {
    throw usageError(
      'cape_needs_uuid',
      `Cape names need the service, and this command runs offline.`,
      'Give the UUID of the cape.',
    );
  }
  const { client } = await connectWithProgress(settings, context);
  return bareUuid(capeIn(await client.capes({ signal: context.signal }), name, context).uuid);
}

/** Finds a cape by UUID or alias. @throws CliError when no cape matches, or several do */
export function capeIn(capes: readonly Cape[], name: string, context: ServiceNaming): Cape {
  const [found, ...more] = isUuid(name)
    ? capes.filter(({ uuid }) => bareUuid(uuid) === bareUuid(name))
    : capes.filter(({ alias }) => alias.toLowerCase() === name.toLowerCase());
  if (found && more.length === 0) return found;
  const hint = `List the capes: ${forService('skinsmith capes list', context)}`;
  if (!found) throw new CliError('invalid_cape', `No cape "${name}".`, { hint });
  throw new CliError('invalid_cape', `Several capes are called "${name}".`, {
    hint: `Give the UUID of one: ${[found, ...more].map(({ uuid }) => uuid).join(', ')}`,
  });
}

/** `the skin …`, or how many. */
export function skinsText(uuids: readonly string[], what: 'skin' | 'set' = 'skin'): string {
  return uuids.length === 1 ? `the ${what} ${uuids[0]}` : `${uuids.length} ${what}s`;
}

/** @throws CliError when one of them is not a UUID */
export function verifyUuids(
  uuids: readonly string[],
  context: ServiceNaming,
  what: 'skin' | 'set' = 'skin',
): void {
  const wrong = uuids.find((uuid) => !isUuid(uuid));
  if (wrong === undefined) return;
  const hint =
    what === 'skin'
      ? listYours(context)
      : `List the public sets: ${forService('skinsmith sets list --public', context)}`;
  throw usageError('not_a_uuid', `"${wrong}" is not the UUID of a ${what}.`, hint);
}

/** The hint for a UUID that no skin has. */
function listYours(context: ServiceNaming): string {
  return `List yours: ${forService('skinsmith skins list', context)}`;
}

export const MAX_BULK = 128;

/**
 * Asks for the same change of many skins, in as few requests as possible. Reports the skins that are not the caller's.
 * @param ask sends one request and prints what it did
 * @returns whether all skins were the caller's
 */
export async function inBulk(
  uuids: readonly string[],
  context: ServiceNaming & { readonly messages: Messages },
  ask: (some: readonly string[]) => Promise<BulkEdited>,
): Promise<boolean> {
  let areAllThere = true;
  for (let at = 0; at < uuids.length; at += MAX_BULK) {
    const { missing } = await ask(uuids.slice(at, at + MAX_BULK));
    for (const uuid of missing) await printFailure(uuid, missingSkin(uuid, context), context);
    areAllThere &&= missing.length === 0;
  }
  return areAllThere;
}

function missingSkin(uuid: string, context: ServiceNaming) {
  const hint = listYours(context);
  return { code: 'skin_not_found', message: `No skin ${uuid}.`, hint };
}

const PAGE_SIZE = 128;

/** Verifies that a list does not lead back to a page that was read before: reading on would never end. */
class PageTrail {
  readonly #seen = new Set<string>();

  /** The next page. @throws UnreadableAnswerError */
  follow(next: string | undefined): string | undefined {
    if (next !== undefined && this.#seen.has(next)) {
      const message = 'The next page of the list is one that the service has sent before.';
      throw new UnreadableAnswerError(message, { status: 200 });
    }
    if (next !== undefined) this.#seen.add(next);
    return next;
  }
}

interface Found<T> {
  readonly entries: T[];
  readonly isCut: boolean;
  /** How many there are, if the service says so. */
  readonly total: number | undefined;
}

/**
 * The first `limit` entries of a list that comes in pages.
 * @param maxEmpty number of pages without an entry that end the search; absent: such a page is the last
 */
export async function readPages<T>(
  limit: number,
  read: (page: {
    readonly after: string | undefined;
    readonly size: number;
  }) => Promise<Listed<T> & { readonly total?: number | undefined }>,
  maxEmpty?: number,
): Promise<Found<T>> {
  const entries: T[] = [];
  const trail = new PageTrail();
  let after: string | undefined;
  let total: number | undefined;
  let empty = 0;
  do {
    const page = await read({ after, size: Math.min(PAGE_SIZE, limit - entries.length) });
    entries.push(...page.entries);
    total ??= page.total;
    if (page.entries.length === 0) empty++;
    after = empty > 0 && maxEmpty === undefined ? undefined : trail.follow(page.next);
  } while (after !== undefined && entries.length < limit && empty < (maxEmpty ?? 1));
  return { entries: entries.slice(0, limit), isCut: after !== undefined, total };
}
