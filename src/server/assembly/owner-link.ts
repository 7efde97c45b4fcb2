import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { addressKey, proofOf } from '../service/sessions/address-proof.ts';
import { makeSecret } from '../service/sessions/secrets.ts';
import { makeLink } from '../service/sessions/sign-in-links.ts';
import { ensureOwner } from '../service/users/users.ts';
import { readDatabaseClock } from '../store/database-time.ts';
import type { Db } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { openBriefly } from './open-store-of.ts';
import { rememberedUrls } from './own-addresses.ts';
import type { ServerOptions } from './server-options.ts';

/** A link that signs the owner of a store in, once, within five minutes. */
export interface OwnerLink {
  /** Path and query; whoever has them can sign in. */
  readonly path: string;
  /** Where services of the store were last reached. */
  readonly services: readonly RememberedService[];
}

/** Nobody has looked whether the service is still there: another program may be. */
export interface RememberedService {
  /** No slash at its end. */
  readonly url: string;
  /** Path and query to ask it for a proof. */
  readonly question: string;
  /** The answer, in the header `Skinsmith-Proof`, that only a service at this address over the store can give. */
  readonly proof: string;
}

/**
 * Makes a sign-in link for the owner of a store, for anyone who can write to the store. Undefined if the
 * store is a file and the folder has none. @throws Error if the store cannot be opened
 */
export async function makeLinkOfOwner(
  { dataDir, store: database }: Pick<ServerOptions, 'dataDir' | 'store'>,
  local: Clock,
): Promise<OwnerLink | undefined> {
  if (!database && !existsSync(join(dataDir, 'skinsmith.db'))) return undefined;
  const store = await openBriefly({ dataDir, store: database });
  try {
    const clock = await clockOf(store.db, local);
    const owner = await ensureOwner(store.db, clock.now());
    const secret = await makeLink({ db: store.db, clock }, { user_id: owner.id, key_id: null });
    return { path: `/ui/sign-in/link?secret=${secret}`, services: await rememberedServices(store.db) };
  } finally {
    await store.close();
  }
}

async function rememberedServices(db: Db): Promise<RememberedService[]> {
  const key = await addressKey(db);
  return (await rememberedUrls(db)).map((url) => {
    const question = { address: url, nonce: makeSecret() };
    return {
      url,
      question: `/ui/sign-in/proof?${new URLSearchParams(question)}`,
      proof: proofOf(key, question),
    };
  });
}

/** The nodes of a service on PostgreSQL go by the database's clock, however wrong that of this machine is. */
async function clockOf(db: Db, local: Clock): Promise<Pick<Clock, 'now'>> {
  if (!isPostgres(db)) return local;
  const now = await readDatabaseClock(db);
  return { now: () => now };
}
