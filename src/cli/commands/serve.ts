import type { Command } from 'commander';
import type { RunningServer } from '../../server/server.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { keepAllFiles, switchToOwnerOf } from '../context/data-owner.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Fields } from '../output/described.ts';
import { refuseDoubleOptions, runDouble } from '../serve/double.ts';
import { addServeOptions, type ServeOptions } from '../serve/options.ts';
import { aborted, ownLog } from '../serve/own-log.ts';
import { addressWarnings, serverOptions } from '../serve/server-options.ts';
import { jsonLine } from '../text/text.ts';

interface ListeningView {
  readonly url: string;
  readonly key?: string;
}

const FIELDS: Fields<ListeningView> = {
  url: 'address of the service',
  key: "the owner's API key, at the first start with new data",
};

export const serve = {
  description:
    'Run a skinsmith service for a team.\n' +
    'It is the same service that commands embed, with the same data folder. The ' +
    'first start prints the API key of the owner, once. SIGTERM lets running generations finish; a ' +
    'second one stops the service at once.',
  examples: [
    ['Run a service on this machine', 'skinsmith serve'],
    [
      'Run one that players reach through a reverse proxy',
      'skinsmith serve --public-url https://skins.example.org --trust-proxy loopback',
    ],
    [
      'Let a hosted service make the skins',
      'skinsmith serve --generator upstream --upstream https://api.mineskin.org --upstream-key-file mineskin.key',
    ],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare: addServeOptions,
  async run(this: Command, typed: ServeOptions, context: CommandContext): Promise<number> {
    return typed.double ? await runDouble(givenOptions(this), context) : await runServe(typed, context);
  },
} satisfies CommandModule;

/** Those that were typed: many have a default. */
function givenOptions(command: Command): ServeOptions {
  const all = Object.entries(command.opts<ServeOptions>());
  return Object.fromEntries(all.filter(([name]) => command.getOptionValueSource(name) !== 'default'));
}

export async function runServe(options: ServeOptions, context: CommandContext): Promise<number> {
  refuseDoubleOptions(options);
  keepAllFiles();
  const all = await serverOptions(options, context);
  switchToOwnerOf(all.dataDir);
  const { startServer } = await import('../../server/server.ts');
  const server = await startServer(all);
  await announce(server, options, context);
  await aborted(context.signal);
  ownLog(options, context).say('Finishing running jobs, then stopping.');
  await server.close();
  return exitStatus('done');
}

/** The first line on stdout: the listening address and, on the first start with this data, the owner's key. */
async function announce(
  { url, key }: Pick<RunningServer, 'url' | 'key'>,
  options: ServeOptions,
  context: CommandContext,
): Promise<void> {
  const { io, flags, env } = context;
  if (flags.json) io.out.write(jsonLine({ url, key } satisfies ListeningView));
  else io.out.write(announcement(url, key));
  for (const warning of addressWarnings(url, options, env)) await ownLog(options, context).warn(warning);
}

function announcement(url: string, key: string | undefined): string {
  if (key === undefined) return `Listening on ${url}\n`;
  return (
    `Listening on ${url}\n` +
    `Owner's API key, shown this once: ${key}\n` +
    `Store it where you use it: skinsmith login --base-url ${url}\n`
  );
}
