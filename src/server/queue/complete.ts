import { randomBytes } from 'node:crypto';
import { isBlocked } from '../store/blocked-images.ts';
import { makeCallbacksDue } from '../store/callbacks.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { lockOwner } from '../store/locks.ts';
import { prepare } from '../store/prepared.ts';
import { addSkin } from '../store/skins.ts';
import { keepTextureData } from '../store/textures.ts';
import type { GeneratedData, Lease } from './port.ts';
import { updateState } from './states.ts';

/**
 * Stores the signed data and the caller's skin record and completes the job, in one transaction. False if the lease is
 * lost, or an operator has blocked the image.
 */
export async function completeWithSkin(
  db: Db,
  lease: Lease,
  data: GeneratedData,
  now: number,
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    const { job } = lease;
    const { owner, identity, name, visibility } = job;
    await lockOwner(tx, owner);
    const uuid = randomBytes(16).toString('hex');
    const ended = await COMPLETE.first(tx, {
      ...{ job: job.uuid, leaseOwner: lease.owner, newSkin: uuid, owner, identity, visibility, now },
      textureHash: job.texture_hash,
      ...(name !== null && { name }),
    });
    if (!ended) return false;
    if (ended.callback !== null) await makeCallbacksDue(tx, job.uuid);
    await keepTextureData(tx, {
      identity,
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
    });
    const isNew = ended.skin_uuid === uuid;
    if (isNew) await addSkin(tx, { uuid, owner, identity, name, visibility, created_at: now });
    return true;
  });
}

interface Completion {
  readonly job: string;
  readonly leaseOwner: string;
  /** UUID of its skin, unless the owner has a record that suits. */
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
const COMPLETE = prepare((db, { job, leaseOwner, newSkin, textureHash, now, ...skin }: Completion) =>
  updateState(db, 'processing', 'completed')
    .set((eb) => {
      const own = eb
        .selectFrom('skins')
        .select('skins.uuid')
        .where('skins.owner', '=', skin.owner)
        .where('skins.identity', '=', skin.identity)
        .where('skins.visibility', '=', skin.visibility)
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
