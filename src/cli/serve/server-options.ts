import type { LogStream, ServerOptions } from '../../server/server.ts';
import { gameSettings } from '../config/game-settings.ts';
import { fetchProxies, usableProxies } from '../config/proxies.ts';
import type { CommandContext } from '../context/context.ts';
import { colorsFor } from '../terminal/colors.ts';
import { chooseGenerator } from './generator.ts';
import { LogText } from './log-text.ts';
import { chooseOpenId } from './openid.ts';
import type { ServeOptions } from './options.ts';
import { logsJson, ownLog } from './own-log.ts';
import { chooseStore } from './store.ts';

/** What the service is started with. @throws CliError */
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
    openId: await chooseOpenId(options, context),
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
