import { systemClock } from '../base/clock.ts';
import { rememberedPublicUrl } from './assembly/owner.ts';
import type { ServerOptions } from './assembly/server-options.ts';
import { buildApp } from './http/app.ts';
import { InProcessRequests } from './http/in-process.ts';
import { Log } from './http/log.ts';
import { type Adapter, type OpenService, openService, type Parts } from './open-service.ts';
import { REQUEST_LIMITS } from './service/limits/request-limiter.ts';

/** Options that only matter to a service on the network. */
type NetworkOption =
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'trustProxy'
  | 'networkLimits'
  | 'anonymous'
  | 'logLevel'
  | 'logAddresses'
  | 'openMetrics'
  | 'embedded';

export interface EmbeddedOptions extends Omit<ServerOptions, NetworkOption> {
  /** Root of the addresses in signed textures; default: the one that the store remembers. */
  readonly publicUrl?: string;
  /** Whether to log warnings and errors; default: log nothing. */
  readonly logsWarnings?: boolean;
}

export interface EmbeddedService extends Pick<OpenService<Adapter>, 'close'> {
  /** Answers requests to the service at any host. Requests without a key are the owner's. */
  readonly fetch: (request: Request) => Promise<Response>;
}

interface EmbeddedAdapter extends Adapter {
  readonly requests: InProcessRequests;
}

/** Starts the service of `serve` for callers in this process only. It does not listen. */
export async function openEmbeddedService(options: EmbeddedOptions): Promise<EmbeddedService> {
  const { adapter, close } = await openService({ ...options, embedded: true }, async (parts) =>
    openInProcess(options, parts),
  );
  return { fetch: async (request) => await adapter.requests.fetch(request), close };
}

function openInProcess(options: EmbeddedOptions, { context, owner }: Parts): EmbeddedAdapter {
  const { clock = systemClock, logStream = process.stderr, logsWarnings = false } = options;
  const level = logsWarnings ? 'warn' : 'silent';
  const log = new Log({ level, stream: logStream, now: () => clock.now() });
  const app = buildApp({
    context,
    localUser: owner,
    allowsAnonymous: true,
    limits: REQUEST_LIMITS,
    log,
    logAddresses: 'none',
    isProxy: () => false,
  });
  const requests = new InProcessRequests(app);
  return {
    log,
    requests,
    open: async () => {
      const publicUrl = options.publicUrl ?? (await rememberedPublicUrl(context.db));
      return { publicUrl, own: [publicUrl], provable: [] };
    },
    close: async () => await requests.close(),
    cutOff: () => requests.cutOff(),
    countConnections: async () => requests.count,
  };
}
