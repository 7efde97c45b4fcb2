import { makeFirstOwnerKey } from '../../../src/server/service/users/keys.ts';
import { ensureOwner } from '../../../src/server/service/users/users.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { TestCaller } from '../server/test-caller.ts';
import type { ServerProcess } from './server-process.ts';

export const USERS = ['ann', 'bob', 'cleo'];

/** An API key for each user, who all have this plan. `server` has not run yet: the first start makes the owner's key. */
export async function makeKeys(db: Db, server: ServerProcess, plan: string): Promise<string[]> {
  const secret = await makeFirstOwnerKey(db, await ensureOwner(db, Date.now()), Date.now());
  await server.start();
  return await makeUserKeys(new TestCaller(server.url ?? '', { key: secret }), plan);
}

/** The same for a service that has an owner's key. */
export async function makeUserKeys(owner: TestCaller, plan: string): Promise<string[]> {
  const keys: string[] = [];
  for (const user of USERS) {
    const { body } = await owner.json('/v2/account/keys', { user });
    await owner.patch(`/v2/account/users/${user}`, { plan });
    keys.push(String(body.key?.secret));
  }
  return keys;
}
