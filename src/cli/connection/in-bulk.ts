import type { BulkEdited } from '../../index.ts';
import type { Typed } from '../errors/service-hints.ts';
import type { Messages } from '../terminal/messages.ts';
import { printFailure } from '../terminal/source-failure.ts';
import { listYours } from './skin-uuids.ts';

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
