import { randomBytes } from 'node:crypto';
import { ensureSkin } from '../store/skins.ts';
import { type Db, inTransaction } from '../store/store.ts';
import { keepTextureData } from '../store/textures.ts';
import type { GeneratedData, Lease } from './port.ts';
import { changeState } from './states.ts';

/** Stores the signed data and the caller's skin record and completes the job, in one transaction. */
export async function completeWithSkin(
  db: Db,
  lease: Lease,
  data: GeneratedData,
  now: number,
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    const { job } = lease;
    const step = { uuid: job.uuid, from: 'processing', to: 'completed', leaseOwner: lease.owner } as const;
    if (!(await changeState(tx, step, { error_code: null, error_message: null, finished_at: now })))
      return false;
    await keepTextureData(tx, {
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
    });
    const skin = await ensureSkin(tx, {
      uuid: randomBytes(16).toString('hex'),
      owner: job.owner,
      identity: job.identity,
      name: job.name,
      visibility: job.visibility,
      created_at: now,
    });
    await tx.updateTable('jobs').set({ skin_uuid: skin.uuid }).where('uuid', '=', job.uuid).execute();
    return true;
  });
}
