import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type RequestReport, SkinClient, type SkinClientOptions } from '../index.ts';
import type { ConfigFile } from './config-file.ts';
import { gameSettings } from './game-settings.ts';
import type { Settings } from './settings.ts';

export interface ConnectOptions {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly configFile: ConfigFile;
  readonly dataDir: string;
  /** Ask the embedded service whatever is set. */
  readonly local: boolean;
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
  readonly onRetry?: SkinClientOptions['onRetry'];
}

/** The service that commands talk to. */
export interface Connection {
  readonly client: SkinClient;
  /** Whether the service runs inside this process. */
  readonly isEmbedded: boolean;
  readonly hasKey: boolean;
  close(): Promise<void>;
}

/** Milliseconds that pauses may add up to: after trouble, and while the service says it is busy. */
const RETRY = { budget: 8_000, patience: 10 * 60_000 };
/** What is still in the embedded queue when a command ends may take this long. */
const DRAIN_LIMIT = 30_000;

/** Connects to the service that is set or, with none, starts the embedded one. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  // A command reads a handful of answers: compiling a parser for each shape costs more than it saves.
  z.config({ jitless: true });
  const baseUrl = options.local ? undefined : options.settings['base-url'];
  return baseUrl === undefined ? await connectEmbedded(options) : await connectRemote(baseUrl, options);
}

async function connectRemote(baseUrl: string, options: ConnectOptions): Promise<Connection> {
  const apiKey = await keyFor(baseUrl, options);
  const client = makeClient(baseUrl, apiKey, options);
  return { client, isEmbedded: false, hasKey: apiKey !== undefined, close: () => client.close() };
}

/** Which service is set, without connecting to it, and what tells callers of it apart. */
export async function identify(
  options: Pick<ConnectOptions, 'settings' | 'env' | 'configFile' | 'local'>,
): Promise<{ name: string; caller: string }> {
  const baseUrl = options.local ? undefined : options.settings['base-url'];
  if (baseUrl === undefined) return { name: 'embedded', caller: 'local' };
  const key = await keyFor(baseUrl, options);
  const caller =
    key === undefined ? 'anonymous' : createHash('sha256').update(key).digest('hex').slice(0, 16);
  return { name: baseUrl, caller };
}

/** The key from the environment, else the one kept for this very service. */
export async function keyFor(
  baseUrl: string,
  { env, configFile }: Pick<ConnectOptions, 'env' | 'configFile'>,
): Promise<string | undefined> {
  return env['SKINSMITH_API_KEY']?.trim() || (await configFile.apiKey(baseUrl));
}

/** The same server that `serve` runs, in this process, on a free loopback port, over the local store. */
async function connectEmbedded(options: ConnectOptions): Promise<Connection> {
  const { startServer } = await import('../server/server.ts');
  const server = await startServer({
    dataDir: options.dataDir,
    port: 0,
    embedded: true,
    ...(await gameSettings({}, options.env)),
    logLevel: options.onRequest ? 'warn' : 'silent', // with --verbose its own trouble shows as well
  });
  const client = makeClient(server.url, server.key, options);
  return {
    client,
    isEmbedded: true,
    hasKey: true,
    close: async () => {
      await client.close();
      await server.close({ drain: true, limit: DRAIN_LIMIT });
    },
  };
}

export function makeClient(
  baseUrl: string,
  apiKey: string | undefined,
  { settings, onRequest, onRetry }: Pick<ConnectOptions, 'settings' | 'onRequest' | 'onRetry'>,
): SkinClient {
  const seconds = settings['poll-interval'];
  return new SkinClient({
    baseUrl,
    apiKey,
    userAgent: settings['user-agent'],
    pollInterval: seconds === undefined ? undefined : seconds * 1000,
    retry: RETRY,
    ...(onRequest && { onRequest }),
    ...(onRetry && { onRetry }),
  });
}
