import type { ClaimBounds } from '../queue/port.ts';
import { ownerOf } from '../service/callers/caller.ts';
import type { Db } from '../store/db.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import type { UserRow } from '../store/schema/user-tables.ts';
import { kindOf } from './generators.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * Whose jobs a service does. `serve` does all, and leaves word who makes its skins. A service that a command has for a while
 * (`isBrief`) may have another generator than the one that the users of the store count on: then it does only what the owner
 * asks for, and the others' jobs wait for `serve`.
 */
export async function jobsToDo(
  db: Db,
  options: Pick<ServerOptions, 'generator' | 'embedded' | 'isBrief'>,
  owner: Pick<UserRow, 'id'>,
): Promise<Pick<ClaimBounds, 'owners'>> {
  const usual = (await readMeta(db, 'generator')) ?? 'signing';
  const kind = kindOf(options);
  if (usual === kind) return {};
  if (options.embedded || options.isBrief) return { owners: { only: [ownerOf(owner.id)] } };
  await writeMeta(db, 'generator', kind);
  return {};
}
