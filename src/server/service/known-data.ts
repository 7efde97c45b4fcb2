import { randomBytes } from 'node:crypto';
import type { NewJob } from '../queue/port.ts';
import {
  ensureSkin,
  findKnownData,
  findSkin,
  type KnownData,
  type SkinWithData,
  someSkinOf,
} from '../store/skins.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { ServiceContext } from './context.ts';
import { shareData } from './data-sharing.ts';
import { countDuplicate } from './duplicates.ts';
import type { GenerationRequest } from './generation-request.ts';
import { ownIdentity, sharedOf } from './identity.ts';

/**
 * The caller's record of data that exists already, made when there is none; undefined where nothing exists that
 * may answer this caller. That is what everybody may have, and what was made for private skins of its own. Who
 * only wants to know whether there is something is shown another record of its own, if there is one: a look must
 * not publish what is private.
 * @throws Refusal `rate_limit` for a caller with far too many of them
 */
export async function recordOfKnownData(
  context: ServiceContext,
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
    // Looked at again: since then it may have been deleted, or become somebody's alone.
    const [data] = await findKnownData(tx, identitiesOf(job), job);
    return data && (await addRecord(tx, { ...job, identity: data.identity }, context.clock.now()));
  });
}

/** Of whatever name and visibility. */
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

/** What may answer the job; its own identity comes first. */
function identitiesOf({ identity, owner }: NewJob): [string, string] {
  return [identity, sharedOf(identity) ?? ownIdentity(identity, owner)];
}

async function addRecord(tx: Db, job: NewJob, created_at: number): Promise<SkinWithData> {
  const { owner, identity, name, visibility } = job;
  const uuid = randomBytes(16).toString('hex');
  const skin = await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  // Its owner may publish what was made for a private skin.
  return visibility === 'private' ? skin : { ...skin, identity: await shareData(tx, identity) };
}
