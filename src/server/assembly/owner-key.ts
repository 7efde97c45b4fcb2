import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { type ApiKeyInput, type ApiKeyMade, apiKeyBodySchema } from '../../protocol/api-key.ts';
import { makeOwnersKey } from '../service/users/keys.ts';
import { ensureOwner } from '../service/users/users.ts';
import { inTransaction } from '../store/db.ts';
import { lockManagement } from '../store/locks.ts';
import { changeUser } from '../store/users.ts';
import { openBriefly } from './open-store-of.ts';
import type { ServerOptions } from './server-options.ts';

/** Why no key could be made: there is no store in the folder, or what was wished for is not valid. */
export class OwnerKeyError extends Error {
  override readonly name = 'OwnerKeyError';
  readonly code: 'no_store' | 'invalid_key';

  constructor(code: OwnerKeyError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes an API key for the owner of a store, for anyone who can write to the store: no service has to run, and no key
 * is needed. An owner that was disabled is enabled again.
 * @throws OwnerKeyError, NoStoreError
 */
export async function makeKeyOfOwner(
  { dataDir, store: database }: Pick<ServerOptions, 'dataDir' | 'store'>,
  wish: Omit<ApiKeyInput, 'user'>,
  clock: Clock,
): Promise<ApiKeyMade> {
  const { data: valid, error } = apiKeyBodySchema.safeParse(wish);
  if (error) {
    const [issue] = error.issues;
    throw new OwnerKeyError('invalid_key', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (!database && !existsSync(join(dataDir, 'skinsmith.db'))) {
    throw new OwnerKeyError('no_store', `There is no store in ${dataDir}.`);
  }
  const store = await openBriefly({ dataDir, store: database && { ...database, creates: false } });
  try {
    return await inTransaction(store.db, async (tx) => {
      await lockManagement(tx);
      const now = clock.now();
      const owner = await ensureOwner(tx, now);
      if (owner.disabled_at !== null) await changeUser(tx, owner.name, { disabled_at: null });
      return await makeOwnersKey(tx, owner, valid, now);
    });
  } finally {
    await store.close();
  }
}
