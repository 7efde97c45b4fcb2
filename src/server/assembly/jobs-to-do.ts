import type { ClaimBounds } from '../queue/port.ts';
import { ownerOf } from '../service/callers/caller.ts';
import type { Db } from '../store/db.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import type { UserRow } from '../store/schema/tables.ts';
import { kindOf } from './generators.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * Whose jobs a service processes. `serve` processes all, and records in the store who makes its skins. A service that a
 * command starts for a while (`isBrief`) may have another generator than the users of the store expect: then it
 * processes only the jobs of the owner, and those of others wait for `serve`.
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
