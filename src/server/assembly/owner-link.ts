import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { addressKey, hashSecret, makeLink, makeSecret, proofOf } from '../service/sessions.ts';
import { ensureOwner } from '../service/users/users.ts';
import { readDatabaseClock } from '../store/database-time.ts';
import type { Db } from '../store/db.ts';
import { hasLink } from '../store/sessions.ts';
import { openBriefly } from './open-store-of.ts';
import { rememberedUrls } from './own-addresses.ts';
import type { ServerOptions } from './server-options.ts';

/** A link that signs the owner of a store in, once, within five minutes. */
export interface OwnerLink {
  /** Path and query; whoever has them can sign in. */
  readonly path: string;
  /** What the store has of it. */
  readonly hash: string;
  /** Where services of the store were last reached. */
  readonly services: readonly RememberedService[];
}

/** Not checked: the service may have ended, and another program may listen there. */
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
    const path = `/ui/sign-in/link?secret=${secret}`;
    return { path, hash: hashSecret(secret), services: await rememberedServices(store.db) };
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

/** Milliseconds between two looks whether a link was used. */
const LOOK_EVERY = 500;

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly limit: number;
}

/** Waits until a link is used. False if it was not within the limit, or the signal aborts. */
export async function waitForLink(
  { dataDir, store: database }: Pick<ServerOptions, 'dataDir' | 'store'>,
  { hash }: Pick<OwnerLink, 'hash'>,
  { clock, signal, limit }: Waiting,
): Promise<boolean> {
  const store = await openBriefly({ dataDir, store: database });
  try {
    for (const end = clock.monotonic() + limit; clock.monotonic() < end && !signal.aborted; ) {
      if (!(await hasLink(store.db, hash))) return true;
      await clock.sleep(LOOK_EVERY, signal).catch(() => {}); // woken by the signal
    }
    return !(await hasLink(store.db, hash)); // it may have been used during the last pause
  } finally {
    await store.close();
  }
}

/** The nodes of a service on PostgreSQL go by the database's clock, however wrong that of this machine is. */
async function clockOf(db: Db, local: Clock): Promise<Pick<Clock, 'now'>> {
  if (!db.store.isShared) return local;
  const now = await readDatabaseClock(db);
  return { now: () => now };
}
