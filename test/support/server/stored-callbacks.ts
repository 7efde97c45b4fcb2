import { randomUUID } from 'node:crypto';
import type { NewJob } from '../../../src/server/queue/port.ts';
import { insertKey } from '../../../src/server/store/api-keys.ts';
import type { NewCallback } from '../../../src/server/store/callbacks.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { ensureUser } from '../../../src/server/store/sessions.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { MovableClock } from './movable-clock.ts';
import { TestQueue } from './test-queue.ts';

/** The API key that these callbacks are signed for. */
export const KEY_ID = 'key';

/** A key, of Ann unless another user is named. */
export async function keepKey(db: Db, id = KEY_ID, owner = 'ann'): Promise<void> {
  const user = {
    id: owner,
    name: owner,
    plan: 'free',
    role: 'user',
    created_at: 0,
    disabled_at: null,
    shows_name: 0,
  } as const;
  const { id: user_id } = await ensureUser(db, user);
  const found = await db.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
  if (found) return;
  await insertKey(db, {
    ...{ id, user_id, name: id, hash: `hash of ${id}`, last4: '0000', created_at: 0 },
    ...{ last_used_at: null, revoked_at: null, v2_compat: 0 },
    ...{ allowed_ips: '[]', allowed_origins: '[]', allowed_agents: '[]', scopes: '[]', generations: 0 },
  });
}

export function callbackOf(url: string): NewCallback {
  return { uuid: randomUUID(), keyId: KEY_ID, url, host: new URL(url).host };
}

/** Submits a job with a callback; it ends at `endsAt`, if that is given. */
export async function endedJob(db: Db, callback: NewCallback, endsAt: number | undefined): Promise<NewJob> {
  const clock = new MovableClock();
  const queue = new TestQueue(db, { self: { host: 'here', pid: 1, nonce: 'x' }, clock });
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const job = newJob({ callback });
  await queue.submit(job, LIMITS);
  if (endsAt === undefined) return job;
  clock.forward(endsAt - clock.now());
  const lease = await queue.claim('w');
  await queue.fail(lease!, { code: 'job_failed', message: '', passing: false });
  return job;
}
