import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { makeLink } from '../service/sessions/sign-in-links.ts';
import { ensureOwner } from '../service/users/users.ts';
import { openStore } from '../store/store.ts';
import { rememberedPublicUrl } from './own-addresses.ts';

/** A link that signs the owner of a store in, once, within five minutes. */
export interface OwnerLink {
  /** Path and query; whoever has them can sign in. */
  readonly path: string;
  /** Where the service of the store was last reached, no slash at its end; nobody has looked whether it is there. */
  readonly publicUrl: string;
}

/**
 * Makes a sign-in link for the owner of a store, for anyone who can write to the store. Undefined if there is no store
 * in the folder. @throws Error if the store cannot be opened
 */
export async function makeLinkOfOwner(dataDir: string, clock: Clock): Promise<OwnerLink | undefined> {
  if (!existsSync(join(dataDir, 'skinsmith.db'))) return undefined;
  const store = await openStore(dataDir);
  try {
    const owner = await ensureOwner(store.db, clock.now());
    const secret = await makeLink({ db: store.db, clock }, { user_id: owner.id, key_id: null });
    return { path: `/ui/sign-in/link?secret=${secret}`, publicUrl: await rememberedPublicUrl(store.db) };
  } finally {
    await store.close();
  }
}
