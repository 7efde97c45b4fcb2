import type { LogStream, ServerOptions } from '../../server/server.ts';
import { fetchProxies, gameSettings, usableProxies } from '../config/network-settings.ts';
import type { CommandContext } from '../context/context.ts';
import { colorsFor } from '../terminal/io.ts';
import { isLoopback } from '../text/text.ts';
import { chooseOpenId } from './openid.ts';
import { chooseGenerator, chooseSite, type ServeOptions } from './options.ts';
import { LogText, logsJson, ownLog } from './own-log.ts';
import { chooseStore } from './store.ts';

/** The options that the service starts with. @throws CliError */
export async function serverOptions(options: ServeOptions, context: CommandContext): Promise<ServerOptions> {
  return {
    dataDir: options.data ?? context.folders.data,
    store: chooseStore(options, { ...context, messages: ownLog(options, context) }),
    signingKeyFile: options.signingKey,
    accountKeyFile: options.accountKey,
    port: options.port,
    host: options.host,
    workers: options.workers,
    publicUrl: options.publicUrl,
    ...(await chooseGenerator(options, context)),
    ...(await gameSettings(options, context.env)),
    retentionHours: options.retention,
    durable: options.durable,
    newSigningKey: options.newSigningKey,
    plansFile: options.plans,
    pace: options.pace,
    allowedNetworks: options.allowNetwork,
    proxies: usableProxies(context.env),
    fetchProxies: fetchProxies(options.fetchProxy, context.env),
    webhooks: options.webhooks,
    userAccounts: options.userAccounts,
    anonymous: options.anonymous,
    anonymousPerHour: options.anonymousPerHour,
    allowedOrigins: options.allowOrigin,
    maxStoreBytes: options.maxStore === undefined ? undefined : options.maxStore * 1024 ** 2,
    trustProxy: options.trustProxy,
    openMetrics: options.openMetrics,
    pages: options.pages,
    ownerKey: options.ownerKey,
    openId: await chooseOpenId(options, context),
    site: await chooseSite(options),
    networkLimits: networkLimitsOf(options),
    logLevel: options.logLevel ?? 'info',
    ...(await logStream(options, context)),
    logAddresses: options.logAddresses,
  };
}

/** A terminal gets a readable log; log collectors get JSON. */
async function logStream(
  { logFormat }: ServeOptions,
  { io, flags }: CommandContext,
): Promise<{ logStream?: LogStream }> {
  if (logsJson({ logFormat }, { io, flags })) return {};
  const { out, err } = io;
  const write = (text: string) => err.write(text);
  const showsRequests = flags.verbose ?? false;
  const isAnnounced = out.isTTY && err.isTTY && !flags.json;
  const colors = await colorsFor(err);
  return { logStream: new LogText({ write, colors, isAnnounced, showsRequests }) };
}

/** Only the options that the user typed. */
function networkLimitsOf({
  maxConnections,
  maxConnectionsPerAddress,
  requestsPerMinute,
}: ServeOptions): NonNullable<ServerOptions['networkLimits']> {
  return {
    ...(maxConnections !== undefined && { maxConnections }),
    ...(maxConnectionsPerAddress !== undefined && { maxConnectionsPerAddress }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  };
}

type Addressed = Pick<ServeOptions, 'host' | 'publicUrl' | 'generator'>;

/** Warnings for the operator about the addresses of a service that listens at `url`. */
export function addressWarnings(url: string, options: Addressed, env: NodeJS.ProcessEnv): string[] {
  return [unreachableTextures(url, options, env), lostPages(options)].filter((one) => one !== undefined);
}

/**
 * Other machines should reach the service, but it signs an address of this machine into its skins, which are then
 * useless to players.
 */
function unreachableTextures(
  url: string,
  { host, publicUrl, generator }: Addressed,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const isOwnKey = (generator ?? (env['SKINSMITH_GENERATOR'] || 'signing')) === 'signing';
  const isForOthers = host !== undefined && !isLoopback(host);
  if (!isOwnKey || !isForOthers || publicUrl !== undefined || !isLoopback(new URL(url).hostname))
    return undefined;
  return (
    `Texture URLs of new skins start with ${url} permanently; other machines cannot reach it. ` +
    'Restart the service with the address that players use: --public-url https://skins.example.org'
  );
}

/** The links of pages begin at the root of a host. */
function lostPages({ publicUrl }: Addressed): string | undefined {
  if (publicUrl === undefined || new URL(publicUrl).pathname === '/') return undefined;
  return (
    `The pages do not work below a path, as in ${publicUrl}; the API and textures do if the proxy removes the path. ` +
    'To use the pages, give the service a host name of its own.'
  );
}
