import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { RunningServer } from '../../server/server.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { keepAllFiles, switchToOwnerOf } from '../context/data-owner.ts';
import { hintFor } from '../doctor/check.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Fields } from '../output/described.ts';
import { refuseDoubleOptions, runDouble } from '../serve/double.ts';
import { addServeOptions, type ServeOptions } from '../serve/options.ts';
import { aborted, ownLog } from '../serve/own-log.ts';
import { ServedPack } from '../serve/served-pack.ts';
import { addressWarnings, serverOptions } from '../serve/server-options.ts';
import { jsonLine } from '../text/text.ts';

/** Another line, with --pack. */
interface PackView {
  readonly pack: string;
  readonly sha1: string;
}

interface ListeningView {
  readonly url: string;
  readonly key?: string;
}

const FIELDS: Fields<ListeningView & PackView> = {
  url: 'address of the service',
  key: "the owner's API key, at the first start with new data",
  pack: 'with --pack, on a line of its own, at the start and after each change: address of the pack',
  sha1: 'SHA-1 of the pack, on the same line',
};

export const serve = {
  description:
    'Run a skinsmith service for a team.\n' +
    'It is the same service that commands embed, with the same data folder. The ' +
    'first start prints the API key of the owner, once. SIGTERM lets running generations finish; a ' +
    'second one stops the service at once.',
  examples: {
    'Run a service on this machine': 'skinsmith serve',
    'Run one that players reach through a reverse proxy':
      'skinsmith serve --public-url https://skins.example.org --trust-proxy loopback',
    'Let a hosted service make the skins':
      'skinsmith serve --generator upstream --upstream https://api.mineskin.org --upstream-key-file mineskin.key',
  },
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare: addServeOptions,
  async run(this: Command, typed: ServeOptions, context: CommandContext): Promise<number> {
    return typed.double ? await runDouble(givenOptions(this), context) : await runServe(typed, context);
  },
} satisfies CommandModule;

/** Options given on the command line, without defaults. */
function givenOptions(command: Command): ServeOptions {
  const all = Object.entries(command.opts<ServeOptions>());
  return Object.fromEntries(all.filter(([name]) => command.getOptionValueSource(name) !== 'default'));
}

export async function runServe(options: ServeOptions, context: CommandContext): Promise<number> {
  refuseDoubleOptions(options);
  keepAllFiles();
  const all = await serverOptions(options, context);
  switchToOwnerOf(all.dataDir);
  const pack = options.pack === undefined ? undefined : await openPack(options.pack, all.dataDir, context);
  const { startServer } = await import('../../server/server.ts');
  const server = await startServer({ ...all, findPack: async (sha1) => await pack?.find(sha1) });
  await announce(server, options, context);
  void warnOfProvider(server, options, context);
  if (pack) offerPack(pack, options.publicUrl ?? server.url, options, context);
  await aborted(context.signal);
  ownLog(options, context).say('Finishing running jobs, then stopping.');
  await server.close();
  return exitStatus('done');
}

/** The service has started and does without its provider, which may take a while to answer. */
async function warnOfProvider(
  { examineSignIn }: Pick<RunningServer, 'examineSignIn'>,
  options: ServeOptions,
  context: CommandContext,
): Promise<void> {
  const findings = await examineSignIn();
  if (context.signal.aborted) return;
  for (const { result, code, message } of findings) {
    if (result === 'ok') continue;
    const hint = hintFor([code], context);
    await ownLog(options, context).warn(hint === undefined ? message : `${message} ${hint}`);
  }
}

/** Services that share a data folder may serve different packs, so each pack has a folder of its own. */
async function openPack(path: string, dataDir: string, { clock }: CommandContext): Promise<ServedPack> {
  const folder = join(dataDir, 'packs', hash('sha256', resolve(path)).slice(0, 16));
  return await ServedPack.open({ path, folder, clock });
}

/** Prints what game servers need to know, now and after each change. */
function offerPack(pack: ServedPack, url: string, options: ServeOptions, context: CommandContext): void {
  const log = ownLog(options, context);
  const print = () => {
    const view = { pack: `${url}/packs/${pack.sha1}.zip`, sha1: pack.sha1 } satisfies PackView;
    context.io.out.write(
      context.flags.json ? jsonLine(view) : `resource-pack=${view.pack}\nresource-pack-sha1=${view.sha1}\n`,
    );
  };
  print();
  const onChange = () => {
    log.say('The pack has changed: put these lines into server.properties and restart the game server.');
    print();
  };
  const onFault = async ({ message }: Error) =>
    await log.warn(`${message} Players still get the pack as it was.`);
  void pack.follow(context.signal, { onChange, onFault });
}

/** The first line on stdout: the listening address and, on the first start with this data, the owner's key. */
async function announce(
  { url, key }: Pick<RunningServer, 'url' | 'key'>,
  options: ServeOptions,
  context: CommandContext,
): Promise<void> {
  const { io, flags, env } = context;
  if (flags.json) io.out.write(jsonLine({ url, key } satisfies ListeningView));
  else io.out.write(announcement(url, key, options));
  if (options.wardrobe !== undefined)
    ownLog(options, context).say(
      `CustomSkinLoader reads skins of player names at ${options.publicUrl ?? url}/csl/`,
    );
  for (const warning of addressWarnings(url, options, env)) await ownLog(options, context).warn(warning);
}

function announcement(url: string, key: string | undefined, { pages }: ServeOptions): string {
  if (key === undefined) return `Listening on ${url}\n`;
  return (
    `Listening on ${url}\n` +
    `Owner's API key, shown this once: ${key}\n` +
    `Store it where you use it: skinsmith login --base-url ${url}\n` +
    (pages === false ? '' : `Its pages: ${url}/ui/, signed in with skinsmith open or with this key\n`)
  );
}
