import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { LogAddresses, LogLevel, RunningServer } from '../../server/server.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { type GameOptions, gameSettings } from '../game-settings.ts';
import { jsonLine } from '../output/json.ts';
import type { Runner } from '../runner.ts';
import {
  chooseGenerator,
  GENERATOR_KINDS,
  type GeneratorOptions,
  UPSTREAM_VISIBILITIES,
} from '../serve-generator.ts';
import { httpUrl, network, nonEmpty, proxies, wholeNumber } from './option-values.ts';

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const satisfies readonly LogLevel[];
const LOG_ADDRESSES = ['full', 'short', 'none'] as const satisfies readonly LogAddresses[];

export interface ServeOptions extends GeneratorOptions, GameOptions {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly workers?: number;
  readonly publicUrl?: string;
  readonly retention?: number;
  readonly plans?: string;
  readonly pace?: number;
  readonly allowNetwork?: readonly string[];
  readonly webhooks?: boolean;
  readonly anonymous?: boolean;
  readonly trustProxy?: string;
  readonly maxConnections?: number;
  readonly openMetrics?: boolean;
  readonly logLevel?: LogLevel;
  readonly logAddresses?: LogAddresses;
}

export function register(command: Command, runner: Runner, run = runServe): void {
  command
    .description(
      'Runs the service for a team: the same that commands embed, over the same data folder. ' +
        'On its very first start it prints the owner’s API key, once. SIGTERM finishes what is being generated; a second one ends it at once.',
    )
    .option('--port <port>', 'where to listen; 0: any free port (default: 7546)', wholeNumber(0, 65_535))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine alone)')
    .option('--data <folder>', 'data folder: store and signing key', nonEmpty)
    .option(
      '--workers <number>',
      'jobs generated at the same time; 0: none here (default: cores + 1, at most 4)',
      wholeNumber(0, 64),
    )
    .addOption(
      new Option(
        '--generator <kind>',
        'who makes the skins: our own signing key, linked game accounts, or another service (default: signing)',
      ).choices(GENERATOR_KINDS),
    )
    .option('--upstream <url>', 'the other service, for the generator upstream', httpUrl)
    .option('--upstream-key-file <file>', 'file that holds the key for it', nonEmpty)
    .option(
      '--upstream-spots <number>',
      "jobs that may be there at one time (default: as the key's plan has it)",
      wholeNumber(1, 64),
    )
    .addOption(
      new Option(
        '--upstream-visibility <visibility>',
        'what skins are there (default: unlisted; private ones stay private where the plan allows it)',
      ).choices(UPSTREAM_VISIBILITIES),
    )
    .option(
      '--account-delay <seconds>',
      'least time between two skins of one game account (default: 15)',
      wholeNumber(1, 3_600),
    )
    .option(
      '--login-client-id <id>',
      'your application at Microsoft, approved by the game, to link game accounts with',
      nonEmpty,
    )
    .option('--public-url <url>', "the service's address as players reach it, for texture URLs", httpUrl)
    .option('--plans <file>', 'JSON file of plans (default: plans.json in the data folder)', nonEmpty)
    .option('--retention <hours>', 'how long finished jobs are kept (default: 168)', wholeNumber(1, 100_000))
    .option(
      '--pace <ms>',
      'least time a generation takes, to rehearse against a slow service',
      wholeNumber(0, 600_000),
    )
    .option(
      '--allow-network <cidr>',
      'private network that webhooks and picture URLs may lead to, as in 10.0.0.0/8 (repeatable)',
      network,
    )
    .option('--no-webhooks', 'refuse callbacks and send no webhooks')
    .option('--no-anonymous', 'refuse callers without an API key')
    .option(
      '--trust-proxy <addresses>',
      'proxies whose X-Forwarded-For is believed: loopback, addresses, networks (default: none)',
      proxies,
    )
    .option('--max-connections <number>', 'connections open at once (default: 2000)', wholeNumber(1, 65_535))
    .option('--open-metrics', "let anybody read /metrics, not only who has an operator's key")
    .addOption(new Option('--log-level <level>', 'what to log on stderr (default: info)').choices(LOG_LEVELS))
    .addOption(
      new Option(
        '--log-addresses <how>',
        "how callers' addresses are logged; short: their network (default: short)",
      ).choices(LOG_ADDRESSES),
    )
    .action(async (typed: ServeOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runServe(options: ServeOptions, deps: Deps): Promise<number> {
  const chosen = await chooseGenerator(options, deps);
  const { startServer } = await import('../../server/server.ts');
  const server = await startServer({
    dataDir: options.data ?? deps.folders.data,
    port: options.port,
    host: options.host,
    workers: options.workers,
    publicUrl: options.publicUrl,
    ...chosen,
    ...(await gameSettings(options, deps.env)),
    retentionHours: options.retention,
    plansFile: options.plans,
    pace: options.pace,
    allowedNetworks: options.allowNetwork,
    webhooks: options.webhooks,
    anonymous: options.anonymous,
    trustProxy: options.trustProxy,
    openMetrics: options.openMetrics,
    edge: options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections },
    logLevel: options.logLevel ?? 'info',
    logAddresses: options.logAddresses,
  });
  announce(server, deps);
  if (!deps.signal.aborted) await once(deps.signal, 'abort');
  deps.talk.say('Stopping: what is being generated is finished first.');
  await server.close();
  return exitStatus('done');
}

/** The first line on stdout: where it listens and, once in the life of the data, the owner's key. */
function announce({ url, key }: RunningServer, { io, flags }: Deps): void {
  if (flags.json) {
    io.out.write(jsonLine({ url, ...(key !== undefined && { key }) }));
    return;
  }
  io.out.write(`Listening on ${url}\n`);
  if (key === undefined) return;
  io.out.write(`Owner's API key, shown this once: ${key}\n`);
  io.out.write(`Store it where you use it: skinsmith login --base-url ${url}\n`);
}
