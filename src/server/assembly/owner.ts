import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { type ApiKeyInput, type ApiKeyMade, apiKeyBodySchema } from '../../protocol/api-key.ts';
import { hashSecret, makeSecret } from '../service/authentication.ts';
import { isOnThisMachine, makeLink, proofOf, secretOfStore } from '../service/sessions.ts';
import { makeOwnersKey } from '../service/users/keys.ts';
import { ensureOwner } from '../service/users/users.ts';
import type { Db } from '../store/db.ts';
import { inManagement } from '../store/locks.ts';
import { deleteMeta, readMeta, writeMeta } from '../store/meta.ts';
import { readDatabaseClock } from '../store/nodes.ts';
import { changeUser, hasLink } from '../store/sessions.ts';
import type { ServerOptions } from './server-options.ts';
import { withStore } from './service-parts.ts';

/** No key could be created: the folder has no store, or the requested key is invalid. */
export class OwnerKeyError extends Error {
  override readonly name = 'OwnerKeyError';
  readonly code: 'no_store' | 'invalid_key';

  constructor(code: OwnerKeyError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Creates an API key for the owner of a store, for anyone who can write to the store. This needs no running service
 * and no key. A disabled owner is enabled again.
 * @throws OwnerKeyError, NoStoreError
 */
export async function makeKeyOfOwner(
  { dataDir, store: database }: Pick<ServerOptions, 'dataDir' | 'store'>,
  input: Omit<ApiKeyInput, 'user'>,
  clock: Clock,
): Promise<ApiKeyMade> {
  const { data: valid, error } = apiKeyBodySchema.safeParse(input);
  if (error) {
    const [issue] = error.issues;
    throw new OwnerKeyError('invalid_key', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (!database && !existsSync(join(dataDir, 'skinsmith.db'))) {
    throw new OwnerKeyError('no_store', `No store in ${dataDir}.`);
  }
  return await withStore({ dataDir, store: database && { ...database, creates: false } }, async (db) => {
    return await inManagement(db, async (tx) => {
      const now = clock.now();
      const owner = await ensureOwner(tx, now);
      if (owner.disabled_at !== null) await changeUser(tx, owner.name, { disabled_at: null });
      return await makeOwnersKey(tx, owner, valid, now);
    });
  });
}

/** A single-use link that signs in the owner of a store within five minutes. */
export interface OwnerLink {
  /** Path and query; anyone who has them can sign in. */
  readonly path: string;
  /** The link's hash in the store. */
  readonly hash: string;
  /** Where services of the store were last reached. */
  readonly services: readonly RememberedService[];
}

/** An unverified address: the service may have ended, and another program may listen there. */
export interface RememberedService {
  /** Without a trailing slash. */
  readonly url: string;
  /** Path and query that request a proof. */
  readonly question: string;
  /** The answer in the header `Skinsmith-Proof`, which only a service of this store at this address can give. */
  readonly proof: string;
}

/**
 * Creates a sign-in link for the owner of a store, for anyone who can write to the store. Undefined if the store is a
 * file and the folder has none. @throws Error if the store cannot be opened
 */
export async function makeLinkOfOwner(
  place: Pick<ServerOptions, 'dataDir' | 'store'>,
  local: Clock,
): Promise<OwnerLink | undefined> {
  if (!place.store && !existsSync(join(place.dataDir, 'skinsmith.db'))) return undefined;
  return await withStore(place, async (db) => {
    const clock = await clockOf(db, local);
    const owner = await ensureOwner(db, clock.now());
    const secret = await makeLink({ db, clock }, { user_id: owner.id, key_id: null });
    const path = `/ui/sign-in/link?secret=${secret}`;
    return { path, hash: hashSecret(secret), services: await rememberedServices(db) };
  });
}

async function rememberedServices(db: Db): Promise<RememberedService[]> {
  const key = await secretOfStore(db, 'address-key');
  return (await rememberedUrls(db)).map((url) => {
    const question = { address: url, nonce: makeSecret() };
    return {
      url,
      question: `/ui/sign-in/proof?${new URLSearchParams(question)}`,
      proof: proofOf(key, question),
    };
  });
}

/** Milliseconds between checks whether a link was used. */
const LOOK_EVERY = 500;

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly limit: number;
}

/** Waits until a link is used. False if the time runs out or the signal aborts. */
export async function waitForLink(
  place: Pick<ServerOptions, 'dataDir' | 'store'>,
  { hash }: Pick<OwnerLink, 'hash'>,
  { clock, signal, limit }: Waiting,
): Promise<boolean> {
  return await withStore(place, async (db) => {
    for (const end = clock.monotonic() + limit; clock.monotonic() < end && !signal.aborted; ) {
      if (!(await hasLink(db, hash))) return true;
      await clock.sleep(LOOK_EVERY, signal).catch(() => {}); // woken by the signal
    }
    return !(await hasLink(db, hash)); // perhaps used during the last pause
  });
}

/** The nodes of a service on PostgreSQL use the database's clock, however wrong this machine's clock is. */
async function clockOf(db: Db, local: Clock): Promise<Pick<Clock, 'now'>> {
  if (!db.store.isShared) return local;
  const now = await readDatabaseClock(db);
  return { now: () => now };
}

/**
 * The default port and host of `serve`: 7546 is S-K-I-N on a telephone. Skins made by an embedded service use this
 * address for their textures, which are available once `serve` runs.
 */
export const DEFAULT_PORT = 7546;
export const DEFAULT_HOST = '127.0.0.1';

/** Hosts to listen on that this machine reaches by any of its loopback names. */
const LOCAL: ReadonlySet<string> = new Set(['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost']);
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** The address of a server that listens on `host`, without a trailing slash. */
export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** All known addresses of a server on `host`, which is reachable at `url` and, by others, at `publicUrl`. */
export function addressesOf(host: string, url: string, publicUrl: string): string[] {
  const port = Number(new URL(url).port);
  const local = LOCAL.has(host) ? LOOPBACK_NAMES.map((name) => urlOf(name, port)) : [];
  return [...new Set([publicUrl, url, ...local])];
}

/**
 * The address for texture URLs of an embedded service, which does not listen itself: the last public address of
 * `serve`, or its default one.
 */
export async function rememberedPublicUrl(db: Db): Promise<string> {
  return (await readMeta(db, 'public-url')) ?? urlOf(DEFAULT_HOST, DEFAULT_PORT);
}

/** The address for texture URLs of a server that listens at `url`. It is remembered if it is permanent. */
export async function settlePublicUrl(db: Db, options: ServerOptions, url: string): Promise<string> {
  const remembered = await readMeta(db, 'public-url');
  const settled = options.publicUrl ?? url;
  const isLasting = options.publicUrl !== undefined || options.port !== 0;
  if (isLasting && settled !== remembered) await writeMeta(db, 'public-url', settled);
  return settled;
}

/** The loopback addresses of a server that listens on all addresses of the machine. */
const ALL_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['127.0.0.1'],
  '::': ['127.0.0.1', '::1'],
};

/**
 * The addresses at which nothing but this server can listen: its own numeric ones, because a name such as `localhost`
 * may also resolve to others, and the operator's public one. On this machine, that may be the port of another program,
 * which may have ended.
 */
export function provableAddresses(
  { port, addresses }: { readonly port: number; readonly addresses: readonly string[] },
  publicUrl: string | undefined,
): string[] {
  const direct = addresses.flatMap((address) => ALL_ADDRESSES[address] ?? [address]);
  const isProvable = publicUrl !== undefined && !isOnThisMachine(publicUrl);
  return [...direct.map((address) => urlOf(address, port)), ...(isProvable ? [publicUrl] : [])];
}

/**
 * Remembers where the server of a data folder listens, for commands on this machine. Later, another program may listen
 * there. Addresses of servers with PostgreSQL are not remembered, because they may be on other machines.
 */
export async function rememberLocalUrl(db: Db, url: string): Promise<void> {
  if (db.store.isShared || (await readMeta(db, 'local-url')) === url) return;
  await writeMeta(db, 'local-url', url);
}

/** Forgets the address when the server ends, unless another server has taken its place. */
export async function forgetLocalUrl(db: Db, url: string): Promise<void> {
  if (!db.store.isShared) await deleteMeta(db, 'local-url', url);
}

/** The last addresses of the store's servers, the most public one first; never by the name `localhost`. */
export async function rememberedUrls(db: Db): Promise<string[]> {
  const local = await readMeta(db, 'local-url');
  const all = [await rememberedPublicUrl(db), ...(local === undefined ? [] : [local])];
  return [...new Set(all.map((url) => url.replace(/^http:\/\/localhost(?=[:/]|$)/i, 'http://127.0.0.1')))];
}
