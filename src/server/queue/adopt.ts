import type { Db } from '../store/db.ts';
import { lockQueue } from '../store/locks.ts';
import { prepare } from '../store/prepared.ts';
import { PROCESSING } from '../store/schema/job-conditions.ts';
import type { ClaimBounds, Lease } from './port.ts';
import { changeState } from './states.ts';

/**
 * Gives a leased job the identity of the data that the current signer will make: the service may have been restarted
 * with another generator, key or address while the job waited. To be called in a transaction that keeps other writers
 * out. Undefined when the lease is lost, or the job had to go back to the queue.
 */
export async function adoptIdentity(
  tx: Db,
  lease: Lease,
  { identity, bounds }: { identity: string; bounds: ClaimBounds },
): Promise<Lease | undefined> {
  const { job, owner } = lease;
  if (bounds.onePerIdentity) await lockQueue(tx);
  const isHeld = (await SET_IDENTITY.change(tx, { uuid: job.uuid, leaseOwner: owner, identity })) === 1;
  if (!isHeld) return undefined;
  if (!bounds.onePerIdentity || !(await isTwinProcessed(tx, job.uuid, identity))) {
    return { owner, job: { ...job, identity } };
  }
  const back = { uuid: job.uuid, from: 'processing', to: 'waiting', leaseOwner: owner } as const;
  await changeState(tx, back, { attempts: job.attempts - 1 });
  return undefined;
}

async function isTwinProcessed(tx: Db, uuid: string, identity: string): Promise<boolean> {
  return (await FIND_TWIN.first(tx, { uuid, identity })) !== undefined;
}

const SET_IDENTITY = prepare(
  (db, { uuid, leaseOwner, identity }: { uuid: string; leaseOwner: string; identity: string }) =>
    db
      .updateTable('jobs')
      .set({ identity })
      .where('uuid', '=', uuid)
      .where('lease_owner', '=', leaseOwner)
      .where(PROCESSING),
);

const FIND_TWIN = prepare((db, { uuid, identity }: { uuid: string; identity: string }) =>
  db
    .selectFrom('jobs')
    .select('id')
    .where('identity', '=', identity)
    .where('uuid', '<>', uuid)
    .where(PROCESSING),
);
