import { systemClock } from '../base/clock.ts';
import { rememberedPublicUrl } from './assembly/owner.ts';
import type { ServerOptions } from './assembly/server-options.ts';
import { InProcessTransport } from './http/in-process/in-process-transport.ts';
import { PlainLog } from './http/in-process/plain-log.ts';
import { type Adapter, type OpenService, openService, type Parts } from './open-service.ts';
import { REQUEST_LIMITS } from './service/limits/request-limiter.ts';

/** What only matters to a service on the network. */
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
  /** Whether warnings and errors are logged; default: nothing is. */
  readonly logsWarnings?: boolean;
}

export interface EmbeddedService extends Pick<OpenService<Adapter>, 'close'> {
  /** Carries requests to the service; those without a key are its owner's. */
  readonly transport: Pick<InProcessTransport, 'send'>;
}

interface EmbeddedAdapter extends Adapter {
  readonly transport: InProcessTransport;
}

/** Starts the service that `serve` runs, for callers in this process only: it listens nowhere. */
export async function openEmbeddedService(options: EmbeddedOptions): Promise<EmbeddedService> {
  const { adapter, close } = await openService({ ...options, embedded: true }, async (parts) =>
    openInProcess(options, parts),
  );
  return { transport: adapter.transport, close };
}

function openInProcess(options: EmbeddedOptions, { context, owner }: Parts): EmbeddedAdapter {
  const { clock = systemClock, logStream = process.stderr, logsWarnings = false } = options;
  const level = logsWarnings ? 'warn' : 'silent';
  const log = new PlainLog({ level, stream: logStream, now: () => clock.now() });
  const transport = new InProcessTransport({
    context,
    localUser: owner,
    allowsAnonymous: true,
    limits: REQUEST_LIMITS,
    log,
  });
  return {
    log,
    transport,
    open: async () => {
      const publicUrl = await rememberedPublicUrl(context.db);
      return { publicUrl, own: [publicUrl], provable: [] };
    },
    close: async () => await transport.close(),
    cutOff: () => transport.cutOff(),
    countConnections: async () => transport.openRequests,
  };
}
