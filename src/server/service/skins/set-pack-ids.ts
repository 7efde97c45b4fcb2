import { idsOf } from '../../../pack/names.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { SetRow } from '../../store/schema/tables.ts';
import { givePackId, membersOf, type SetMember } from '../../store/sets.ts';

/**
 * What the packs of a set call its skins, by UUID. A skin gets its id when a pack of the set is first made with it, and
 * keeps it while it is in the set: worlds contain it.
 */
export async function packIdsOf(
  db: Db,
  { id }: Pick<SetRow, 'id'>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const known = await membersOf(db, id);
  const isComplete = known.every(({ pack_id }) => pack_id !== null);
  const members = isComplete ? known : await inManagement(db, async (tx) => await completed(tx, id));
  return new Map(members.map(({ uuid, pack_id }) => [uuid, pack_id ?? undefined]));
}

async function completed(tx: Db, set: number): Promise<SetMember[]> {
  const members = await membersOf(tx, set);
  const ids = idsOf(
    members.map(({ uuid, name, pack_id }) => ({ stem: name ?? uuid, key: uuid, id: pack_id ?? undefined })),
  );
  for (const [at, member] of members.entries())
    if (member.pack_id === null) await givePackId(tx, set, { ...member, pack_id: ids[at]! });
  return members.map((member, at) => ({ ...member, pack_id: ids[at]! }));
}
