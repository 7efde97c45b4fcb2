import { isOnThisMachine } from '../service/sessions.ts';
import type { Db } from '../store/db.ts';
import { readMeta, removeMeta, writeMeta } from '../store/meta.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * The port and host of `serve` by default: 7546 is S-K-I-N on a telephone. Skins made by an embedded service name this
 * address for their textures, which are there as soon as `serve` runs.
 */
export const DEFAULT_PORT = 7546;
export const DEFAULT_HOST = '127.0.0.1';

/** Hosts to listen on that this machine reaches by any name of its loopback. */
const LOCAL: ReadonlySet<string> = new Set(['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost']);
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** The address of a server that listens on `host`, no slash at its end. */
export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** All addresses that are known to lead to a server on `host`, which is reached at `url` and, by others, at `publicUrl`. */
export function addressesOf(host: string, url: string, publicUrl: string): string[] {
  const port = Number(new URL(url).port);
  const local = LOCAL.has(host) ? LOOPBACK_NAMES.map((name) => urlOf(name, port)) : [];
  return [...new Set([publicUrl, url, ...local])];
}

/**
 * The address that goes into the texture URLs of an embedded service, which listens nowhere: where `serve` last said
 * it is reached, or will be by default.
 */
export async function rememberedPublicUrl(db: Db): Promise<string> {
  return (await readMeta(db, 'public-url')) ?? urlOf(DEFAULT_HOST, DEFAULT_PORT);
}

/** The address that goes into the texture URLs of a server that listens at `url`. It is remembered if it lasts. */
export async function settlePublicUrl(db: Db, options: ServerOptions, url: string): Promise<string> {
  const remembered = await readMeta(db, 'public-url');
  const settled = options.publicUrl ?? url;
  const isLasting = options.publicUrl !== undefined || options.port !== 0;
  if (isLasting && settled !== remembered) await writeMeta(db, 'public-url', settled);
  return settled;
}

/** Addresses at which a server is reached that listens on all addresses of the machine. */
const ALL_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['127.0.0.1'],
  '::': ['127.0.0.1', '::1'],
};

/**
 * The addresses at which nothing but this server can listen: those that it listens on itself, in numbers, as a name such
 * as `localhost` also leads to others, and the public one that the operator named. On this machine that may be the port
 * of another program, which may have ended.
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
 * Remembers where the server of a data folder listens, for commands on this machine. What listens there later may be
 * another program. Servers over PostgreSQL may be on other machines, so theirs are not.
 */
export async function rememberLocalUrl(db: Db, url: string): Promise<void> {
  if (db.store.isShared || (await readMeta(db, 'local-url')) === url) return;
  await writeMeta(db, 'local-url', url);
}

/** Forgets it when the server ends, unless another has taken its place. */
export async function forgetLocalUrl(db: Db, url: string): Promise<void> {
  if (!db.store.isShared) await removeMeta(db, 'local-url', url);
}

/** Where servers of the store were last reached, the most public address first; never by the name `localhost`. */
export async function rememberedUrls(db: Db): Promise<string[]> {
  const local = await readMeta(db, 'local-url');
  const all = [await rememberedPublicUrl(db), ...(local === undefined ? [] : [local])];
  return [...new Set(all.map((url) => url.replace(/^http:\/\/localhost(?=[:/]|$)/i, 'http://127.0.0.1')))];
}
