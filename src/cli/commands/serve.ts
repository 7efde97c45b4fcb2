import { once } from 'node:events';
import type { Command } from 'commander';
import type { LogStream, RunningServer, ServerOptions } from '../../server/server.ts';
import { gameSettings } from '../config/game-settings.ts';
import type { CommandContext } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/examples.ts';
import type { CommandOutput, Fields } from '../output/described.ts';
import { chooseGenerator } from '../serve/generator.ts';
import { LogText } from '../serve/log-text.ts';
import { addServeOptions, type ServeOptions } from '../serve/options.ts';
import { colorsFor } from '../terminal/colors.ts';
import { jsonLine } from '../text/json.ts';

export const examples: Examples = [
  ['Run a service on this machine', 'skinsmith serve'],
  [
    'Run one that players reach through a reverse proxy',
    'skinsmith serve --public-url https://skins.example.org --trust-proxy loopback',
  ],
  [
    'Let a hosted service make the skins',
    'skinsmith serve --generator upstream --upstream https://api.mineskin.org --upstream-key-file mineskin.key',
  ],
];

interface ListeningView {
  readonly url: string;
  readonly key?: string;
}

const FIELDS: Fields<ListeningView> = {
  url: 'address of the service',
  key: "the owner's API key, at the first start with new data",
};

export const output: readonly CommandOutput[] = [{ json: { shape: 'object', fields: FIELDS } }];

export function register(command: Command, runner: Runner, run = runServe): void {
  addServeOptions(command)
    .description(
      'Run a skinsmith service for a team.\n' +
        'It is the same service that commands run inside themselves, over the same data folder. The ' +
        'first start prints the API key of the owner, once. SIGTERM lets running generations finish; a ' +
        'second one stops the service at once.',
    )
    .action(async (typed: ServeOptions) => await runner(async (context) => await run(typed, context)));
}

export async function runServe(options: ServeOptions, context: CommandContext): Promise<number> {
  const chosen = await chooseGenerator(options, context);
  const { startServer } = await import('../../server/server.ts');
  const server = await startServer({
    dataDir: options.data ?? context.folders.data,
    port: options.port,
    host: options.host,
    workers: options.workers,
    publicUrl: options.publicUrl,
    ...chosen,
    ...(await gameSettings(options, context.env)),
    retentionHours: options.retention,
    durable: options.durable,
    newSigningKey: options.newSigningKey,
    plansFile: options.plans,
    pace: options.pace,
    allowedNetworks: options.allowNetwork,
    webhooks: options.webhooks,
    userAccounts: options.userAccounts,
    anonymous: options.anonymous,
    anonymousPerHour: options.anonymousPerHour,
    allowedOrigins: options.allowOrigin,
    maxStoreBytes: options.maxStore === undefined ? undefined : options.maxStore * 1024 ** 2,
    trustProxy: options.trustProxy,
    openMetrics: options.openMetrics,
    networkLimits: networkLimitsOf(options),
    logLevel: options.logLevel ?? 'info',
    ...(await logStream(options, context)),
    logAddresses: options.logAddresses,
  });
  announce(server, context);
  if (!context.signal.aborted) await once(context.signal, 'abort');
  context.messages.say('Stopping when the running generations have finished.');
  await server.close();
  return exitStatus('done');
}

/** A terminal gets a readable log; log collectors get JSON. */
async function logStream(
  { logFormat }: ServeOptions,
  { io: { err }, flags }: CommandContext,
): Promise<{ logStream?: LogStream }> {
  if ((logFormat ?? (err.isTTY && !flags.json ? 'text' : 'json')) === 'json') return {};
  const write = (text: string) => err.write(text);
  const showsRequests = flags.verbose ?? false;
  return { logStream: new LogText({ write, colors: await colorsFor(err), showsRequests }) };
}

/** The first line on stdout: the listening address and, on the first start with this data, the owner's key. */
function announce({ url, key }: RunningServer, { io, flags }: CommandContext): void {
  if (flags.json) {
    const view: ListeningView = { url, ...(key !== undefined && { key }) };
    io.out.write(jsonLine(view));
    return;
  }
  io.out.write(`Listening on ${url}\n`);
  if (key === undefined) return;
  io.out.write(`Owner's API key, shown this once: ${key}\n`);
  io.out.write(`Store it where you use it: skinsmith login --base-url ${url}\n`);
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
