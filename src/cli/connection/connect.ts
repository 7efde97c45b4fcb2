import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { FetchError, fetchBounded } from '../../base/bounded-fetch.ts';
import { networkReason } from '../../base/error-reasons.ts';
import { openSender, type Proxies, type Sender } from '../../base/proxies.ts';
import { callerFingerprint, parsedJson } from '../../base/text.ts';
import { SkinClient } from '../../client/skin-client.ts';
import type { Fetch, RequestDispatcher } from '../../client/transport.ts';
import type { RequestReport, SkinClientOptions } from '../../client/types.ts';
import { PrivateAddressError } from '../../dispatch/proof.ts';
import type { GuardedAgent, ResolveName } from '../../server/outbound/guarded-agent.ts';
import type { Network } from '../../server/outbound/target.ts';
import { gameSettings, readProxies, verifyProxies } from '../config/network-settings.ts';
import type { ConfigFile, GlobalFlags, Settings } from '../config/settings.ts';
import { CliError, usageError } from '../errors/exit.ts';
import type { Waits } from '../terminal/messages.ts';

interface RequestListeners {
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
  /** Notified of requests and pauses. */
  readonly waits?: Waits | undefined;
}

/**
 * Stands for the embedded service where an address is required. The name is reserved (RFC 6761), so no request goes
 * there.
 */
export const EMBEDDED_URL = 'http://embedded.invalid';
const EMBEDDED_NAME = 'the embedded service';

/** The hooks of a client whose requests are shown: what they wait for, and each of them with --verbose. */
export function requestHooks({
  onRequest,
  waits,
}: RequestListeners): Pick<SkinClientOptions, 'onSend' | 'onRequest' | 'onEnd' | 'onRetry'> {
  return {
    onSend: ({ place, timeout }) => waits?.sent(place === EMBEDDED_URL ? EMBEDDED_NAME : place, timeout),
    onRequest,
    onEnd: () => waits?.answered(),
    onRetry: (report) => waits?.paused(report),
  };
}

interface ConnectOptions extends RequestListeners {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly configFile: () => Promise<ConfigFile>;
  readonly dataDir: string;
  /** See `CommandContext`. */
  readonly proxied: () => Promise<Sender | undefined>;
  /** True: always use the embedded service; false: never. Undefined: the environment decides. */
  readonly local: boolean | undefined;
  /** Send the key over plain http even to public addresses. */
  readonly insecureHttp: boolean;
}

export interface Connection {
  readonly client: SkinClient;
  readonly isEmbedded: boolean;
  readonly hasKey: boolean;
  /** Present if the service runs inside this process: answers requests that the client has no method for. */
  readonly fetch?: Fetch;
  close(): Promise<void>;
}

/** Maximum total pause in milliseconds, after failures and while the service reports that it is busy. */
const RETRY = { budget: 8_000, patience: 10 * 60_000 };
/** How long a command waits at its end for jobs in the embedded queue. */
const DRAIN_LIMIT = 30_000;

/** Connects to the configured service, or starts the embedded one if none is configured. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const baseUrl = serviceAddress(options);
  return baseUrl === undefined ? await connectEmbedded(options) : await connectRemote(baseUrl, options);
}

async function connectRemote(baseUrl: string, options: ConnectOptions): Promise<Connection> {
  const apiKey = await keyFor(baseUrl, options);
  verifyProxies(readProxies(options.env), baseUrl);
  const guard = makeTextureGuard({
    service: baseUrl,
    proxies: readProxies(options.env),
    allowed: options.settings['allow-network'],
  });
  const target = { baseUrl, apiKey, dispatcher: await options.proxied(), textureDispatcher: guard };
  const client = makeClient(target, options);
  return {
    client,
    isEmbedded: false,
    hasKey: apiKey !== undefined,
    close: async () => void (await Promise.all([client.close(), guard.close()])),
  };
}

/** The configured service; undefined for the embedded one. @throws CliError where the embedded service is ruled out */
function serviceAddress({
  settings,
  env,
  local,
}: Pick<ConnectOptions, 'settings' | 'env' | 'local'>): string | undefined {
  if (local) return undefined;
  const baseUrl = settings['base-url'];
  if (baseUrl !== undefined || !isEmbeddedRefused(env, local)) return baseUrl;
  throw usageError(
    'no_service',
    'No service is set, and --no-local forbids the embedded one.',
    'Set one with --base-url URL or SKINSMITH_BASE_URL, or use the embedded service anyway: --local',
  );
}

/** Whether `--no-local` or the environment variable forbids the embedded service. */
function isEmbeddedRefused(
  { SKINSMITH_NO_LOCAL: variable }: NodeJS.ProcessEnv,
  local: boolean | undefined,
): boolean {
  if (local !== undefined) return !local;
  return variable !== undefined && !['', '0', 'false', 'no'].includes(variable.trim().toLowerCase());
}

/** Identifies the configured service and its caller without connecting. */
export async function identify(
  options: Pick<ConnectOptions, 'settings' | 'env' | 'configFile' | 'local'>,
): Promise<{ name: string; caller: string }> {
  const baseUrl = serviceAddress(options);
  if (baseUrl === undefined) return { name: 'embedded', caller: 'local' };
  return { name: baseUrl, caller: callerFingerprint(await keyFor(baseUrl, options)) };
}

/** The key from the environment, or else the stored key for this exact service. @throws CliError when the text is not a key */
export async function keyFor(
  baseUrl: string,
  { env, configFile }: Pick<ConnectOptions, 'env' | 'configFile'>,
): Promise<string | undefined> {
  const key = env['SKINSMITH_API_KEY']?.trim();
  if (!key) return await (await configFile()).apiKey(baseUrl);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('not_a_key', 'SKINSMITH_API_KEY does not contain an API key, which is a single word.');
}

/** Starts the service that `serve` runs inside this process, with the local store. It listens nowhere. */
async function connectEmbedded(options: ConnectOptions): Promise<Connection> {
  if (options.env['SKINSMITH_STORE']) throw inPostgres();
  const { openEmbeddedService } = await import('../../server/embedded.ts');
  const proxies = readProxies(options.env);
  const { fetch, close } = await openEmbeddedService({
    dataDir: options.dataDir,
    ...gameSettings({}, options.env),
    proxies,
    fetchProxies: proxies, // the caller could go through them without the service
    logsWarnings: options.onRequest !== undefined, // --verbose shows the embedded service's warnings too
  });
  const guard = makeTextureGuard({
    service: undefined,
    proxies,
    allowed: options.settings['allow-network'],
  });
  const client = makeClient({ baseUrl: EMBEDDED_URL, fetch, textureDispatcher: guard }, options);
  return {
    client,
    isEmbedded: true,
    hasKey: true,
    fetch,
    close: async () => {
      await Promise.all([client.close(), guard.close()]);
      await close({ drain: true, limit: DRAIN_LIMIT });
    },
  };
}

/** A user created in a folder, for example, would be unknown to the service on the database. */
function inPostgres(): CliError {
  const message =
    'The store is in PostgreSQL (SKINSMITH_STORE). This command can use it only through a running service.';
  const hint =
    'Name the service: --base-url URL or SKINSMITH_BASE_URL. For data in a folder, unset SKINSMITH_STORE.';
  return usageError('store_elsewhere', message, hint);
}

/** Whether the user accepts that the key can be read in transit. */
export function allowsInsecureHttp({ flags, env }: { flags: GlobalFlags; env: NodeJS.ProcessEnv }): boolean {
  return flags.insecureHttp ?? /^(?:1|true|yes)$/i.test(env['SKINSMITH_INSECURE_HTTP'] ?? '');
}

export function makeClient(
  target: Pick<SkinClientOptions, 'baseUrl' | 'apiKey' | 'fetch' | 'dispatcher' | 'textureDispatcher'>,
  {
    settings,
    insecureHttp,
    onRequest,
    waits,
  }: Pick<ConnectOptions, 'settings' | 'insecureHttp' | 'onRequest' | 'waits'>,
): SkinClient {
  const seconds = settings['poll-interval'];
  return new SkinClient({
    ...target,
    insecureHttp,
    userAgent: settings['user-agent'],
    pollInterval: seconds === undefined ? undefined : seconds * 1000,
    retry: RETRY,
    ...requestHooks({ onRequest, waits }),
  });
}

export interface TextureGuardOptions {
  /** The root of the service in use; undefined: it runs in this process. */
  readonly service: string | undefined;
  readonly proxies: Proxies | undefined;
  readonly allowed?: readonly string[] | undefined;
  /** Replaceable for tests. */
  readonly resolve?: ResolveName;
}

/** Sends requests to addresses that lockfiles and services name. */
interface TextureGuard extends RequestDispatcher {
  close(): Promise<void>;
}

/** Public data: textures, as services of ours and as the game name them, and the document with the key of such a service. The game drops zeros at the start of a hash. */
const PUBLIC_PATH = /^\/(?:textures?\/[0-9a-f]{48,64})?$/;

/**
 * Allows public addresses and, of private ones, those of the service in use, on its port. Paths that only read public
 * data of a skinsmith service are allowed on all ports of this machine and of that service, too: the service may have
 * another port in the textures it signs. `allowed`: everything in these networks, too.
 */
export function makeTextureGuard(options: TextureGuardOptions): TextureGuard {
  const { proxies, resolve = resolveAsSystem } = options;
  const agents = new Map<boolean, Promise<GuardedAgent>>();
  const open = async (isPublic: boolean) => {
    const { makeGuardedAgent } = await import('../../server/outbound/guarded-agent.ts');
    const own = await networksOf(options.service, { isPublic, resolve });
    const { parseNetwork } = await import('../../server/outbound/target.ts');
    const networks = [...own, ...(options.allowed ?? []).map(parseNetwork)];
    return makeGuardedAgent({ policy: { networks, ports: 'all' }, proxies, resolve, keepsConnections: true });
  };
  return {
    request: async (request) => {
      const isPublic = PUBLIC_PATH.test(request.path);
      const agent = agents.get(isPublic) ?? open(isPublic);
      agents.set(isPublic, agent);
      return await send(request, await agent);
    },
    close: async () => {
      await Promise.all([...agents.values()].map(async (agent) => await (await agent).close()));
    },
  };
}

type Request = Parameters<RequestDispatcher['request']>[0];

/** @throws PrivateAddressError; what the network throws */
async function send(request: Request, agent: GuardedAgent): ReturnType<RequestDispatcher['request']> {
  const { allowedAddresses, literalOf, OutboundError } = await import('../../server/outbound/target.ts');
  const { hostname, port, protocol } = new URL(request.origin);
  const literal = literalOf(hostname);
  try {
    // A proxy would get it unchecked.
    if (literal !== undefined)
      allowedAddresses([literal], { host: hostname, port: portOf(port, protocol), policy: agent.policy });
    return await (await agent.sender()).request(request);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.code === 'address_refused')
      throw new PrivateAddressError(String(request.origin), literal, error);
    throw error.cause ?? error;
  }
}

async function networksOf(
  service: string | undefined,
  { isPublic, resolve }: { readonly isPublic: boolean; readonly resolve: ResolveName },
): Promise<Network[]> {
  const { parseNetwork } = await import('../../server/outbound/target.ts');
  const own = service === undefined ? [] : await addressesOf(new URL(service), resolve);
  if (!isPublic) return own;
  const machine = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => parseNetwork(withoutZone(address))),
  );
  const everywhere = own.map(([address, bits]): Network => [address, bits]);
  return [parseNetwork('127.0.0.0/8'), parseNetwork('::1'), ...machine, ...everywhere];
}

/** The service's addresses, on its port; none if it cannot be looked up. */
async function addressesOf({ hostname, port, protocol }: URL, resolve: ResolveName): Promise<Network[]> {
  const { literalOf, parseNetwork } = await import('../../server/outbound/target.ts');
  const literal = literalOf(hostname);
  const found = literal === undefined ? await resolve(hostname).catch(() => []) : [literal];
  return found.map((text) => {
    const [address, bits] = parseNetwork(withoutZone(text));
    return [address, bits, portOf(port, protocol)];
  });
}

function portOf(port: string, protocol: string): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/** With the hosts file, as the requests to the service are. */
async function resolveAsSystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Milliseconds. */
const TIMEOUT = 10_000;
/** Far more than any expected answer. */
const MAX_BYTES = 1024 * 1024;

interface SmallAnswer {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * Sends one request to an address, without a key, through the proxy if one is set.
 * @throws CliError with this code if there is no answer
 */
export async function askOnce(
  url: URL,
  code: string,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<SmallAnswer> {
  const proxies = readProxies(env);
  verifyProxies(proxies, url.href);
  const sender = await openSender(proxies);
  try {
    const { status, bytes } = await fetchBounded(sender, {
      ...{ url, method: 'GET', headers: () => ({ accept: 'application/json' }) },
      ...{ timeout: TIMEOUT, maxBytes: MAX_BYTES, reads: () => 'whole', signal },
    });
    return { status, json: parsedJson(bytes.toString('utf8')) };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { cause, message } = error;
    const problem = error.code === 'broken' ? `cannot be reached: ${networkReason(cause)}` : message;
    throw new CliError(code, `${url.host} ${problem}.`, { exit: 'tryLater', cause: error });
  } finally {
    await sender.destroy();
  }
}
