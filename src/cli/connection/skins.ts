import { bareUuid, isUuid } from '../../base/text.ts';
import type { BulkEdited, Cape, Listed } from '../../index.ts';
import type { Settings } from '../config/settings.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { forService, namingOf, type Typed } from '../errors/service-hints.ts';
import { type Messages, printFailure } from '../terminal/messages.ts';
import { type Connector, connectWithProgress } from './connector.ts';

/** Resolves a cape's UUID or alias to its UUID. @throws CliError */
export async function capeNamed(
  name: string,
  { settings, context, isOffline }: { settings: Settings; context: Connector & Typed; isOffline: boolean },
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
export function capeIn(capes: readonly Cape[], name: string, context: Typed): Cape {
  const [found, ...more] = isUuid(name)
    ? capes.filter(({ uuid }) => bareUuid(uuid) === bareUuid(name))
    : capes.filter(({ alias }) => alias.toLowerCase() === name.toLowerCase());
  if (found && more.length === 0) return found;
  const hint = `List the capes: ${forService('skinsmith capes list', namingOf(context))}`;
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
export function verifyUuids(uuids: readonly string[], context: Typed, what: 'skin' | 'set' = 'skin'): void {
  const wrong = uuids.find((uuid) => !isUuid(uuid));
  if (wrong === undefined) return;
  const hint =
    what === 'skin'
      ? listYours(context)
      : `List the public sets: ${forService('skinsmith sets list --public', namingOf(context))}`;
  throw usageError('not_a_uuid', `"${wrong}" is not the UUID of a ${what}.`, hint);
}

/** The hint for a UUID that no skin has. */
export function listYours(context: Typed): string {
  return `List yours: ${forService('skinsmith skins list', namingOf(context))}`;
}

/** Maximum skins that one request changes. */
const MAX_BULK = 128;

/**
 * Asks for the same change of many skins, in as few requests as possible. Reports the skins that are not the caller's.
 * @param ask sends one request and prints what it did
 * @returns whether all skins were the caller's
 */
export async function inBulk(
  uuids: readonly string[],
  context: Typed & { readonly messages: Messages },
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

function missingSkin(uuid: string, context: Typed) {
  const hint = listYours(context);
  return { code: 'skin_not_found', message: `No skin ${uuid}.`, hint };
}

const PAGE_SIZE = 128;

/** The first `limit` entries of a list that comes in pages, and whether there are more. */
export async function readPages<T>(
  limit: number,
  read: (page: { readonly after: string | undefined; readonly size: number }) => Promise<Listed<T>>,
): Promise<{ readonly entries: T[]; readonly isCut: boolean }> {
  const entries: T[] = [];
  let after: string | undefined;
  do {
    const page = await read({ after, size: Math.min(PAGE_SIZE, limit - entries.length) });
    entries.push(...page.entries);
    after = page.entries.length === 0 ? undefined : page.next;
  } while (after !== undefined && entries.length < limit);
  return { entries, isCut: after !== undefined };
}
