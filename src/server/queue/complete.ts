import { randomBytes } from 'node:crypto';
import { type Db, inTransaction } from '../store/db.ts';
import { addSkin, findOwnSkin } from '../store/skins.ts';
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
    const { owner, identity, name, visibility } = job;
    const own = await findOwnSkin(tx, { owner, identity, name, visibility });
    const uuid = own?.uuid ?? randomBytes(16).toString('hex');
    const step = { uuid: job.uuid, from: 'processing', to: 'completed', leaseOwner: lease.owner } as const;
    const end = { skin_uuid: uuid, error_code: null, error_message: null, finished_at: now };
    if (!(await changeState(tx, step, end))) return false;
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
    if (!own) await addSkin(tx, { uuid, owner, identity, name, visibility, created_at: now });
    return true;
  });
}
