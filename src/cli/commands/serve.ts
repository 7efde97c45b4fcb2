import { once } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LogLevel, RunningServer } from '../../server/server.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { jsonLine } from '../output/json.ts';
import type { Runner } from '../runner.ts';

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const satisfies readonly LogLevel[];

export interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly workers?: number;
  readonly publicUrl?: string;
  readonly retention?: number;
  readonly pace?: number;
  readonly logLevel?: LogLevel;
}

export function register(command: Command, runner: Runner, run = runServe): void {
  command
    .description(
      'Runs the service for a team: the same that commands embed, over the same data folder. ' +
        'On its very first start it prints the owner’s API key, once. SIGTERM finishes what is being generated.',
    )
    .option('--port <port>', 'where to listen; 0: any free port (default: 7546)', wholeNumber(0, 65_535))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine alone)')
    .option('--data <folder>', 'data folder: store and signing key', nonEmpty)
    .option(
      '--workers <number>',
      'jobs generated at the same time; 0: none here (default: cores + 1, at most 4)',
      wholeNumber(0, 64),
    )
    .option('--public-url <url>', "the service's address as players reach it, for texture URLs", httpUrl)
    .option('--retention <hours>', 'how long finished jobs are kept (default: 168)', wholeNumber(1, 100_000))
    .option(
      '--pace <ms>',
      'least time a generation takes, to rehearse against a slow service',
      wholeNumber(0, 600_000),
    )
    .addOption(new Option('--log-level <level>', 'what to log on stderr (default: info)').choices(LOG_LEVELS))
    .action(async (typed: ServeOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runServe(options: ServeOptions, deps: Deps): Promise<number> {
  const { startServer } = await import('../../server/server.ts');
  const server = await startServer({
    dataDir: options.data ?? deps.folders.data,
    port: options.port,
    host: options.host,
    workers: options.workers,
    publicUrl: options.publicUrl,
    retentionHours: options.retention,
    pace: options.pace,
    logLevel: options.logLevel ?? 'info',
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

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function nonEmpty(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (isPlain && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be an address like https://skins.example.org.');
}
