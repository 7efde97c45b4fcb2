import { FetchError, fetchBounded } from '../../base/bounded-fetch.ts';
import { networkReason } from '../../base/error-reasons.ts';
import { openSender } from '../../base/proxies.ts';
import { bareUuid, isUuid, parsedJson } from '../../base/text.ts';
import type { AccountClient } from '../../client/account-client.ts';
import { ServiceError, UnreadableAnswerError } from '../../client/errors.ts';
import type { BulkEdited, Listed } from '../../client/types.ts';
import type { Cape } from '../../protocol/cape.ts';
import { readProxies, verifyProxies } from '../config/network-settings.ts';
import type { Settings } from '../config/settings.ts';
import { type CommandContext, connectWithProgress } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { forService, type ServiceNaming } from '../errors/service-hints.ts';
import { type Messages, printFailure } from '../terminal/messages.ts';

/** What a request needs to reach the configured service. */
type Connector = Pick<CommandContext, 'messages' | 'signal' | 'settings' | 'connect'>;

/** Calls `work` with the service's account manager. @throws CliError `no_account_api` when the service has none */
export async function withAccount<T>(
  context: Connector,
  work: (account: AccountClient, call: { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
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

/**
 * Sends a request that not every service supports. `about` lists the error codes with which a supporting service
 * reports that the resource itself does not exist.
 * @throws CliError `not_offered`
 */
export async function whereOffered<T>(
  { what, about }: { what: string; about: readonly string[] },
  ask: () => Promise<T>,
): Promise<T> {
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

/** Maximum skins that one request changes. */
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
  /** Whether there are more. */
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

/** Milliseconds. */
const TIMEOUT = 10_000;
/** Far more than any expected answer. */
const MAX_BYTES = 1024 * 1024;

interface SmallAnswer {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * Sends one request to an address, without a key, through the proxy if one is set.
 * @throws CliError with this code if there is no answer
 */
export async function askOnce(
  url: URL,
  code: string,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<SmallAnswer> {
  const proxies = readProxies(env);
  verifyProxies(proxies, url.href);
  const sender = await openSender(proxies);
  try {
    const { status, bytes } = await fetchBounded(sender, {
      ...{ url, method: 'GET', headers: () => ({ accept: 'application/json' }) },
      ...{ timeout: TIMEOUT, maxBytes: MAX_BYTES, reads: () => 'whole', signal },
    });
    return { status, json: parsedJson(bytes.toString('utf8')) };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { cause, message } = error;
    const problem = error.code === 'broken' ? `cannot be reached: ${networkReason(cause)}` : message;
    throw new CliError(code, `${url.host} ${problem}.`, { exit: 'tryLater', cause: error });
  } finally {
    await sender.destroy();
  }
}
