import { onTestFinished } from 'vitest';
import type { Fetch } from '../../../../src/client/transport.ts';
import { InProcessRequests } from '../../../../src/server/embedded.ts';
import { App } from '../../../../src/server/http/app.ts';
import { Log } from '../../../../src/server/http/log.ts';
import { type Adapter, openService, type Parts } from '../../../../src/server/open-service.ts';
import { type ServerOptions, startServer } from '../../../../src/server/server.ts';
import { REQUEST_LIMITS } from '../../../../src/server/service/request-limits.ts';
import { makeFirstOwnerKey } from '../../../../src/server/service/users/keys.ts';
import { NO_GAME } from '../../fake-game/nowhere.ts';
import { FAST_GAME } from '../../server/account-server.ts';
import { storeFor } from '../../server/chosen-store.ts';
import { MovableClock } from '../../server/movable-clock.ts';
import { ownFolder } from '../../server/own-folder.ts';
import { drawInOneThread, giveSigningKey } from '../../server/running-server.ts';

/** A service, and a way to send requests to it. */
export interface Way {
  readonly fetch: Fetch;
  readonly origin: string;
  /** The owner's API key. */
  readonly key: string;
  readonly dataDir: string;
  close(): Promise<void>;
}

const PUBLIC_URL = 'http://skins.invalid';

/** Opens services that differ in nothing but how requests reach them. */
export const WAYS = {
  'over the network': openNetwork,
  'inside the process': openInProcess,
} as const satisfies Record<string, (options?: Partial<ServerOptions>) => Promise<Way>>;

async function openNetwork(given: Partial<ServerOptions> = {}): Promise<Way> {
  const options = await serverOptions(given);
  const { url, key, close } = await startServer({ ...options, port: 0 });
  const { dataDir } = options;
  return closedAtEnd({ fetch, origin: url, key: key!, dataDir, close: () => close({ limit: 1_000 }) });
}

async function openInProcess(given: Partial<ServerOptions> = {}): Promise<Way> {
  const options = await serverOptions(given);
  const { adapter, close } = await openService(options, async (parts) => await openAdapter(parts, options));
  const { requests, key } = adapter;
  const own: Fetch = async (request) => await requests.fetch(request);
  const { dataDir } = options;
  return closedAtEnd({ fetch: own, origin: PUBLIC_URL, key, dataDir, close: () => close({ limit: 1_000 }) });
}

type InProcessAdapter = Adapter & { readonly requests: InProcessRequests; readonly key: string };

/** Like that of an embedded service, for callers of every kind. */
async function openAdapter(
  { context, owner }: Parts,
  { anonymous = true }: ServerOptions,
): Promise<InProcessAdapter> {
  const log = new Log({ level: 'silent', stream: process.stderr, now: () => 0 });
  const app = new App({ context, allowsAnonymous: anonymous, limits: REQUEST_LIMITS, log });
  const requests = new InProcessRequests(app);
  return {
    log,
    requests,
    key: (await makeFirstOwnerKey(context.db, owner, context.clock.now()))!,
    open: async () => ({ publicUrl: PUBLIC_URL, own: [PUBLIC_URL], provable: [] }),
    close: async () => await requests.close(),
    cutOff: () => requests.cutOff(),
    countConnections: async () => 0,
  };
}

async function serverOptions(given: Partial<ServerOptions>): Promise<ServerOptions> {
  const dataDir = await ownFolder();
  await giveSigningKey(dataDir);
  const clock = new MovableClock();
  const game = { gameAddresses: NO_GAME, game: FAST_GAME, draw: drawInOneThread };
  // Answers name the worker that made a skin: with several it may be any of them.
  const store = await storeFor(dataDir);
  return { clock, publicUrl: PUBLIC_URL, workers: 1, ...game, ...store, ...given, dataDir };
}

function closedAtEnd(way: Way): Way {
  let closing: Promise<void> | undefined;
  const close = async () => {
    closing ??= way.close();
    await closing;
  };
  onTestFinished(close);
  return { ...way, close };
}
