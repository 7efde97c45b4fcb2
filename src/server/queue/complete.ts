import { sql } from 'kysely';
import { newUuid } from '../../base/uuid.ts';
import { isBlocked } from '../store/blocked-images.ts';
import { makeCallbacksDue } from '../store/callbacks.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { lockOwnerOfJob } from '../store/locks.ts';
import { prepare } from '../store/prepared.ts';
import type { TextureDataRow } from '../store/schema/skin-tables.ts';
import { addSkin } from '../store/skins.ts';
import { keepTextureData } from '../store/textures.ts';
import type { GeneratedData, Lease } from './port.ts';
import { updateState } from './states.ts';

/** A job that is done, what was made for it, and when. */
export interface Completion {
  readonly lease: Lease;
  readonly data: GeneratedData;
  readonly now: number;
}

/**
 * Stores the signed data and the caller's skin record and completes the job, in one transaction. False if the lease is
 * lost, or an operator has blocked the image. An owner's jobs end one after the other: the second of them for the same data
 * finds the record of the first.
 */
export async function completeWithSkin(db: Db, completion: Completion): Promise<boolean> {
  const values = valuesOf(completion);
  return await inTransaction(db, async (tx) => {
    await lockOwnerOfJob(tx, values.job);
    const ended = await COMPLETE.first(tx, values);
    if (!ended) return false;
    await keepTextureData(tx, textureDataOf(completion));
    const { newSkin: uuid, owner, identity, name = null, visibility, now } = values;
    if (ended.skin_uuid === uuid)
      await addSkin(tx, { uuid, owner, identity, name, visibility, created_at: now });
    if (ended.callback !== null) await makeCallbacksDue(tx, values.job);
    return true;
  });
}

function valuesOf({ lease: { job, owner: leaseOwner }, now }: Completion): Values {
  const { owner, identity, name, visibility } = job;
  const skin = { newSkin: newUuid(), owner, identity, visibility, ...(name !== null && { name }) };
  return { job: job.uuid, leaseOwner, textureHash: job.texture_hash, now, ...skin };
}

function textureDataOf({ lease: { job }, data, now }: Completion): TextureDataRow {
  return {
    identity: job.identity,
    texture_hash: job.texture_hash,
    variant: job.variant,
    value: data.value,
    signature: data.signature,
    url: data.url,
    generator_version: data.version,
    account: data.account,
    server: data.server,
    worker: data.worker,
    created_at: now,
    duration: data.duration,
    cape_hash: job.cape_hash,
    cape_url: data.capeUrl ?? null,
  };
}

interface Values {
  readonly job: string;
  readonly leaseOwner: string;
  readonly newSkin: string;
  readonly textureHash: string;
  readonly owner: string;
  readonly identity: string;
  readonly visibility: Lease['job']['visibility'];
  /** Without one, a record with any name suits. */
  readonly name?: string;
  readonly now: number;
}

/** Returns no row if the lease is lost or the image is blocked. */
const COMPLETE = prepare((db, { job, leaseOwner, newSkin, textureHash, now, ...skin }: Values) =>
  updateState(db, 'processing', 'completed')
    .set((eb) => {
      const own = eb
        .selectFrom('skins')
        .select('skins.uuid')
        .where('skins.owner', '=', skin.owner)
        .where('skins.identity', '=', skin.identity)
        .where('skins.visibility', '=', sql.lit(skin.visibility))
        .orderBy('skins.id')
        .limit(1);
      const matching = skin.name === undefined ? own : own.where('skins.name', '=', skin.name);
      return { skin_uuid: eb.fn.coalesce(matching, eb.val(newSkin)) };
    })
    .set({ lease_owner: null, lease_until: null, error_code: null, error_message: null, finished_at: now })
    .where('uuid', '=', job)
    .where('lease_owner', '=', leaseOwner)
    .where((eb) => eb.not(isBlocked(textureHash)))
    .returning('skin_uuid')
    .returning((eb) =>
      eb
        .selectFrom('callbacks')
        .select('callbacks.id')
        .whereRef('callbacks.job_id', '=', 'jobs.id')
        .limit(1)
        .as('callback'),
    ),
);
