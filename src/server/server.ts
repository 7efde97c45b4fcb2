import type { HealthFinding } from '../protocol/service.ts';
import {
  addressesOf,
  DEFAULT_HOST,
  DEFAULT_PORT,
  forgetLocalUrl,
  provableAddresses,
  rememberLocalUrl,
  settlePublicUrl,
  urlOf,
} from './assembly/owner.ts';
import type { ServerOptions } from './assembly/server-options.ts';
import type { ServiceContext } from './context.ts';
import { NETWORK_LIMITS } from './http/connections.ts';
import { Log } from './http/log.ts';
import { proxyTest } from './http/network-head.ts';
import { type Adapter, type OpenService, openService, type Parts } from './open-service.ts';
import { makeFirstOwnerKey } from './service/users/keys.ts';

export {
  makeKeyOfOwner,
  makeLinkOfOwner,
  OwnerKeyError,
  type OwnerLink,
  type RememberedService,
  waitForLink,
} from './assembly/owner.ts';
export type { ServerOptions } from './assembly/server-options.ts';
export { type Backup, backUp, dumpFormat, readBackup, restore, verifyDump } from './backup/backup.ts';
export { DATA_FILES } from './backup/data-files.ts';
export type { Logo, Site, StoredPack } from './context.ts';
export type { GeneratorKind } from './generators/port.ts';
export type { UpstreamSettings } from './generators/upstream/contact.ts';
export type { LogAddresses, LogLevel, LogStream } from './http/log.ts';
export type { ClaimTest, OpenIdSettings } from './openid/claims.ts';
export { NEWEST_SCHEMA } from './store/meta.ts';
export type { PostgresSettings } from './store/postgres/postgres-store.ts';
export {
  type CopyProgress,
  copyStore,
  type StoreCopy,
  type StorePlace,
  storeName,
} from './store-copy/copy-store.ts';

export interface RunningServer extends Pick<OpenService<Adapter>, 'close'> {
  /** The address, without a trailing slash. */
  readonly url: string;
  /** The owner's API key, on the very first start only, unless none was wanted. */
  readonly key: string | undefined;
  /** Asks the provider of sign-ins whether it can be used; nothing to say without one. Never rejects. */
  readonly examineSignIn: () => Promise<readonly HealthFinding[]>;
}

/** Carries requests from the network to the service. */
interface NetworkAdapter extends Adapter {
  /** The address; empty until the server listens. */
  url: string;
  /** The owner's first API key. It is shown only once, so it is created when nothing can fail any more. */
  makeFirstKey(): Promise<string | undefined>;
  examineSignIn(): Promise<readonly HealthFinding[]>;
}

/** Starts the service on the network. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { adapter, close } = await openService(options, async (parts) => await openNetwork(options, parts));
  try {
    const { url, examineSignIn } = adapter;
    return { url, key: await adapter.makeFirstKey(), examineSignIn, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openNetwork(options: ServerOptions, { context, owner }: Parts): Promise<NetworkAdapter> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  const { http, log } = await makeHttpServer(options, context);
  let localUrl = '';
  const forget = async () => {
    // A failing store must not keep the service from stopping.
    await forgetLocalUrl(context.db, localUrl).catch(() => {});
  };
  const adapter: NetworkAdapter = {
    log,
    makeFirstKey: async () =>
      (options.ownerKey ?? true)
        ? await makeFirstOwnerKey(context.db, owner, context.clock.now())
        : undefined,
    examineSignIn: async () => (await context.openId?.examine()) ?? [],
    url: '',
    open: async () => {
      const listening = await http.listen(host, port);
      adapter.url = urlOf(host, listening.port);
      const provable = provableAddresses(listening, options.publicUrl);
      localUrl = provable[0] ?? adapter.url;
      await rememberLocalUrl(context.db, localUrl);
      const publicUrl = await settlePublicUrl(context.db, options, adapter.url);
      return { publicUrl, own: addressesOf(host, adapter.url, publicUrl), provable };
    },
    close: async () => {
      // While the port is still ours. Afterwards, another server may have remembered the same address.
      const forgotten = forget();
      await http.close();
      await forgotten;
    },
    cutOff: () => http.closeConnections(),
    countConnections: async () => await http.countConnections(),
  };
  return adapter;
}

async function makeHttpServer(options: ServerOptions, context: ServiceContext) {
  const { logLevel = 'silent', logAddresses = 'short', logStream = process.stderr } = options;
  const log = new Log({ level: logLevel, stream: logStream, now: () => context.clock.now() });
  const { HttpServer } = await import('./http/node-server.ts');
  const http = new HttpServer({
    context,
    allowsAnonymous: options.anonymous ?? true,
    pages: options.pages,
    limits: { ...NETWORK_LIMITS, ...options.networkLimits },
    log,
    logAddresses,
    isProxy: proxyTest(options.trustProxy),
  });
  return { http, log };
}
