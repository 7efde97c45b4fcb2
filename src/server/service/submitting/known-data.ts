import { randomBytes } from 'node:crypto';
import type { NewJob } from '../../queue/port.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import {
  ensureSkin,
  findKnownData,
  findSkin,
  type KnownData,
  type SkinWithData,
  someSkinOf,
} from '../../store/skins.ts';
import { countDuplicate, type DuplicatesContext } from '../limits/duplicates.ts';
import { shareData } from '../skins/data-sharing.ts';
import { ownIdentity, sharedOf } from '../skins/identity.ts';
import type { GenerationRequest } from './generation-request.ts';

/**
 * The caller's record of existing data, created if necessary; undefined if there is no data that this caller may use. A
 * caller may use shared data, and data made for its own private skins. A request that only checks for data gets another
 * record of the caller's, if there is one: a check must not publish what is private.
 * @throws Refusal `rate_limit` for a caller with far too many records
 */
export async function recordOfKnownData(
  context: DuplicatesContext,
  job: NewJob,
  request: Pick<GenerationRequest, 'caller' | 'via' | 'checkOnly'>,
): Promise<SkinWithData | undefined> {
  const known = await findKnownData(context.db, identitiesOf(job), job);
  if (known.length === 0) return undefined;
  await countDuplicate(context, request);
  const own = known.find((data) => data.own)?.own;
  if (own) return own;
  const other = request.checkOnly ? await anyOwnSkin(context.db, job.owner, known) : undefined;
  if (other) return other;
  return await inTransaction(context.db, async (tx) => {
    // Check again: the data may have been deleted or become private in the meantime.
    const [data] = await findKnownData(tx, identitiesOf(job), job);
    return data && (await addRecord(tx, { ...job, identity: data.identity }, context.clock.now()));
  });
}

/** Any skin of the caller with the data, regardless of name and visibility. */
async function anyOwnSkin(
  db: Db,
  owner: string,
  known: readonly KnownData[],
): Promise<SkinWithData | undefined> {
  for (const { identity } of known) {
    const skin = await someSkinOf(db, identity, owner);
    if (skin) return await findSkin(db, skin.uuid);
  }
  return undefined;
}

/** The identities that the job may use; its owner's private one comes first. */
function identitiesOf({ identity, owner }: NewJob): [string, string] {
  return [identity, sharedOf(identity) ?? ownIdentity(identity, owner)];
}

async function addRecord(tx: Db, job: NewJob, created_at: number): Promise<SkinWithData> {
  const { owner, identity, name, visibility } = job;
  const uuid = randomBytes(16).toString('hex');
  const skin = await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  // The owner may publish data that was made for a private skin.
  return visibility === 'private' ? skin : { ...skin, identity: await shareData(tx, identity) };
}
