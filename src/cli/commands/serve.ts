import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { LogAddresses, LogLevel, LogStream, RunningServer, ServerOptions } from '../../server/server.ts';
import { type GameOptions, gameSettings } from '../config/game-settings.ts';
import type { CommandContext } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/examples.ts';
import { httpUrl, network, nonEmpty, origin, proxies, wholeNumber } from '../options/option-values.ts';
import type { CommandOutput, Fields } from '../output/described.ts';
import {
  chooseGenerator,
  GENERATOR_KINDS,
  type GeneratorOptions,
  UPSTREAM_VISIBILITIES,
} from '../serve/generator.ts';
import { LogText } from '../serve/log-text.ts';
import { colorsFor } from '../terminal/colors.ts';
import { jsonLine } from '../text/json.ts';

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const satisfies readonly LogLevel[];
const LOG_FORMATS = ['json', 'text'] as const;
const LOG_ADDRESSES = ['full', 'short', 'none'] as const satisfies readonly LogAddresses[];

export interface ServeOptions extends GeneratorOptions, GameOptions {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly workers?: number;
  readonly publicUrl?: string;
  readonly retention?: number;
  readonly durable?: boolean;
  readonly newSigningKey?: boolean;
  readonly plans?: string;
  readonly pace?: number;
  readonly allowNetwork?: readonly string[];
  readonly webhooks?: boolean;
  readonly userAccounts?: boolean;
  readonly anonymous?: boolean;
  readonly anonymousPerHour?: number;
  readonly allowOrigin?: readonly string[];
  readonly maxStore?: number;
  readonly trustProxy?: string;
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
  readonly requestsPerMinute?: number;
  readonly openMetrics?: boolean;
  readonly logLevel?: LogLevel;
  readonly logFormat?: (typeof LOG_FORMATS)[number];
  readonly logAddresses?: LogAddresses;
}

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
  command
    .description(
      'Run a skinsmith service for a team.\n' +
        'It is the same service that commands run inside themselves, over the same data folder. The ' +
        'first start prints the API key of the owner, once. SIGTERM lets running generations finish; a ' +
        'second one stops the service at once.',
    )
    .option('--port <port>', 'port to listen on; 0 for any free port (default: 7546)', wholeNumber(0, 65_535))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine only)')
    .option('--data <folder>', 'data folder, with the store and the signing key', nonEmpty)
    .option(
      '--workers <number>',
      'number of jobs to generate at the same time; 0 for none (default: cores + 1, at most 4)',
      wholeNumber(0, 64),
    )
    .addOption(
      new Option(
        '--generator <kind>',
        'what makes the skins: the signing key of this service, linked game accounts, or another service (default: signing)',
      ).choices(GENERATOR_KINDS),
    )
    .option('--upstream <url>', 'address of the other service, for the generator upstream', httpUrl)
    .option('--upstream-key-file <file>', 'file with the API key for the other service', nonEmpty)
    .option(
      '--upstream-spots <number>',
      "maximum number of jobs in the other service's queue (default: what the key's plan allows)",
      wholeNumber(1, 64),
    )
    .addOption(
      new Option(
        '--upstream-visibility <visibility>',
        'visibility of skins at the other service; private skins stay private if the plan allows it (default: unlisted)',
      ).choices(UPSTREAM_VISIBILITIES),
    )
    .option(
      '--account-delay <seconds>',
      'minimum time between two skins made with one game account (default: 15)',
      wholeNumber(1, 3_600),
    )
    .option(
      '--login-client-id <id>',
      'ID of your Microsoft application, approved for the game, for linking accounts',
      nonEmpty,
    )
    .option('--no-user-accounts', 'only operators may link game accounts (default: every user may)')
    .option('--public-url <url>', 'address under which players reach the service, for texture URLs', httpUrl)
    .option('--plans <file>', 'JSON file with plans (default: plans.json in the data folder)', nonEmpty)
    .option('--retention <hours>', 'how long to keep finished jobs (default: 168)', wholeNumber(1, 100_000))
    .option('--durable', 'flush every accepted job to disk, so that it survives a power cut')
    .option(
      '--new-signing-key',
      "start even if the signing key is missing or is not the one that signed the store's skins",
    )
    .option(
      '--pace <ms>',
      'minimum time for each generation, to simulate a slow service',
      wholeNumber(0, 600_000),
    )
    .option(
      '--allow-network <cidr>',
      'private network that webhooks and picture URLs may point to, such as 10.0.0.0/8 (repeatable)',
      network,
    )
    .option('--no-webhooks', 'refuse callback URLs and send no webhooks')
    .option('--no-anonymous', 'refuse requests without an API key')
    .option(
      '--anonymous-per-hour <number>',
      'maximum number of new skins per hour for all callers without an API key (default: 5000)',
      wholeNumber(1, 10_000_000),
    )
    .option(
      '--allow-origin <origin>',
      'origin of web pages that may make skins without an API key; * for any (repeatable)',
      origin,
    )
    .option(
      '--max-store <mb>',
      'size of the store in MB at which it stops accepting new skins (default: 10240)',
      wholeNumber(1, 100_000_000),
    )
    .option(
      '--trust-proxy <addresses>',
      'proxies whose X-Forwarded-For header to trust: loopback, addresses, networks (default: none)',
      proxies,
    )
    .option(
      '--max-connections <number>',
      'maximum number of open connections (default: 2000)',
      wholeNumber(1, 65_535),
    )
    .option(
      '--max-connections-per-address <number>',
      'maximum number of open connections of an address without a valid key (default: 100)',
      wholeNumber(1, 65_535),
    )
    .option(
      '--requests-per-minute <number>',
      'maximum number of requests per minute from an address without a key (default: 6000)',
      wholeNumber(1, 10_000_000),
    )
    .option('--open-metrics', "allow reading /metrics without an operator's key")
    .addOption(new Option('--log-level <level>', 'what to log on stderr (default: info)').choices(LOG_LEVELS))
    .addOption(
      new Option(
        '--log-format <format>',
        'log format; text shows requests only with --verbose (default: text on a terminal, otherwise json)',
      ).choices(LOG_FORMATS),
    )
    .addOption(
      new Option(
        '--log-addresses <how>',
        "how to log the callers' addresses; short logs only the network (default: short)",
      ).choices(LOG_ADDRESSES),
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
    edge: edgeLimits(options),
    logLevel: options.logLevel ?? 'info',
    ...(await logStream(options, context)),
    logAddresses: options.logAddresses,
  });
  announce(server, context);
  if (!context.signal.aborted) await once(context.signal, 'abort');
  context.messages.say('Stopping: what is being generated is finished first.');
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
function edgeLimits({
  maxConnections,
  maxConnectionsPerAddress,
  requestsPerMinute,
}: ServeOptions): NonNullable<ServerOptions['edge']> {
  return {
    ...(maxConnections !== undefined && { maxConnections }),
    ...(maxConnectionsPerAddress !== undefined && { maxConnectionsPerAddress }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  };
}
