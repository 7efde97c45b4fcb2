import type { Command } from 'commander';
import type { OwnerLink } from '../../server/server.ts';
import type { CommandContext } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/examples.ts';
import { openBrowser } from '../open/browser.ts';
import { findService } from '../open/find-service.ts';
import { nonEmpty, wholeNumber } from '../options/option-values.ts';
import type { CommandOutput, Fields } from '../output/described.ts';
import { aborted } from '../serve/aborted.ts';
import type { ServeOptions } from '../serve/options.ts';
import { serverOptions } from '../serve/server-options.ts';
import { chooseStore } from '../serve/store.ts';
import { jsonLine } from '../text/json.ts';

export interface OpenOptions {
  readonly data?: string;
  readonly store?: string;
  readonly storePooler?: boolean;
  readonly port?: number;
  /** False: only print the address. */
  readonly browser: boolean;
}

interface OpenView {
  readonly url: string;
}

export const examples: Examples = [
  ['Make skins in the browser', 'skinsmith open'],
  ['Sign in with a browser elsewhere: print the link', 'skinsmith open --no-browser'],
];

const FIELDS: Fields<OpenView> = { url: 'link that signs in once, within five minutes: keep it to yourself' };

export const output: readonly CommandOutput[] = [{ json: { shape: 'object', fields: FIELDS } }];

export function register(command: Command, runner: Runner, run = runOpen): void {
  command
    .description(
      'Open the pages of the service on this machine, signed in.\n' +
        'Uses the service that runs over the data folder or database, or starts one and runs it until it is ' +
        'interrupted. The browser is signed in as the owner by a link that works once.',
    )
    .option('--data <folder>', 'data folder of the service', nonEmpty)
    .option('--store <url>', 'PostgreSQL database of the service', nonEmpty)
    .option(
      '--store-pooler',
      'the database is behind a pooler that gives each transaction another connection, such as PgBouncer',
    )
    .option(
      '--port <port>',
      'port to listen on if no service runs; 0 for any free port (default: 7546)',
      wholeNumber(0, 65_535),
    )
    .option('--no-browser', 'print the link and open nothing')
    .action(async (typed: OpenOptions) => await runner(async (context) => await run(typed, context)));
}

export async function runOpen(
  { data, store: named, storePooler, port, browser }: OpenOptions,
  context: CommandContext,
  launch: (url: string) => Promise<boolean> = openBrowser,
): Promise<number> {
  const dataDir = data ?? context.folders.data;
  const place = { ...(named && { store: named }), ...(storePooler && { storePooler }) };
  const store = chooseStore(place, context);
  const { makeLinkOfOwner } = await import('../../server/server.ts');
  const known = await makeLinkOfOwner({ dataDir, store }, context.clock);
  const show = async (url: string) => await showLink(url, context, browser ? launch : undefined);
  const found = await findService(known?.services ?? [], context.signal);
  for (const url of found.doubtful) await context.messages.warn(doubtAbout(url));
  if (known && found.url !== undefined) {
    await show(`${found.url}${known.path}`);
    return exitStatus('done');
  }
  const options = { data: dataDir, port, logLevel: 'warn', ...place } as const;
  return await serveAndShow(options, context, show);
}

function doubtAbout(url: string): string {
  return (
    `What answers at ${url} does not prove that it is a service with this store, so it gets no link. ` +
    'If it is one of an older skinsmith, or without pages, restart it.'
  );
}

async function serveAndShow(
  options: ServeOptions,
  context: CommandContext,
  show: (url: string) => Promise<void>,
): Promise<number> {
  const { makeLinkOfOwner, startServer } = await import('../../server/server.ts');
  const settings = await serverOptions(options, context);
  const server = await startServer(settings);
  try {
    context.messages.say(`Serving at ${server.url} until you press Ctrl-C.`);
    const link = await makeLinkOfOwner(settings, context.clock);
    await show(`${server.url}${pathOf(link)}`);
    await aborted(context.signal);
  } finally {
    await server.close();
  }
  return exitStatus('done');
}

/** A service that has just started has a store. */
function pathOf(link: OwnerLink | undefined): string {
  if (link) return link.path;
  throw new CliError('no_store', 'The data folder was removed while the service started.');
}

async function showLink(
  url: string,
  { io, flags, messages }: CommandContext,
  launch: ((url: string) => Promise<boolean>) | undefined,
): Promise<void> {
  const view: OpenView = { url };
  io.out.write(flags.json ? jsonLine(view) : `${url}\n`);
  if (!launch || (await launch(url))) return;
  messages.say('No program opens a browser here: open the link yourself.');
}
