import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSender, type Sender } from '../../base/proxies.ts';
import type { OwnerLink, RememberedService, ServerOptions } from '../../server/server.ts';
import { readProxies } from '../config/network-settings.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { nonEmpty, wholeNumber } from '../options/option-values.ts';
import type { Fields } from '../output/described.ts';
import { markupData } from '../output/reports/report.ts';
import type { ServeOptions } from '../serve/options.ts';
import { aborted } from '../serve/own-log.ts';
import { serverOptions } from '../serve/server-options.ts';
import { chooseStore } from '../serve/store.ts';
import { jsonLine } from '../text/text.ts';

interface BrowserOptions {
  readonly home: string;
  readonly now: number;
  /** Opens a file in the browser; false if no program does. It may take until the browser ends. */
  readonly launch: (path: string) => Promise<boolean>;
  /** Waits until the link is used, for as long as that makes sense. False if it was not, or the signal aborts. */
  readonly untilUsed: (signal: AbortSignal) => Promise<boolean>;
}

/** `unopened`: there is no browser; `unwritten`: the file for it cannot be written. */
type BrowserOpenResult = 'used' | 'unused' | 'unopened' | 'unwritten';

/** Opens a link in the person's browser, by a file that is there only until the link has been used. */
export async function openInBrowser(
  link: string,
  { home, now, launch, untilUsed }: BrowserOptions,
): Promise<BrowserOpenResult> {
  removeOldBrowserFiles(home, now);
  const path = writeBrowserFile(home, link);
  if (path === undefined) return 'unwritten';
  const unopened = new AbortController();
  try {
    launch(path).then(
      (isOpen) => isOpen || unopened.abort(),
      () => unopened.abort(),
    );
    if (await untilUsed(unopened.signal)) return 'used';
    return unopened.signal.aborted ? 'unopened' : 'unused';
  } finally {
    removeBrowserFile(path);
  }
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
type Opener = readonly [program: string, ...words: string[]];

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  readonly spawn?: Spawn;
}

/** Variables that may hold keys and passwords, which no browser gets. */
const SECRET = /^(?:SKINSMITH_|PG)/;

/**
 * Opens a file in the browser. Resolves when the program that does so has ended, which may be with the browser: false if
 * no program opens it. All users of the machine can see the arguments of programs, so the link is never passed as one.
 */
export async function openBrowser(
  path: string,
  { env, platform = process.platform, spawn }: Surroundings,
): Promise<boolean> {
  const start = spawn ?? (await import('node:child_process')).spawn;
  const target = platform === 'win32' ? pathToFileURL(path).href : path;
  const options = { stdio: 'ignore', detached: true, env: withoutSecrets(env) } as const;
  for (const [program, ...words] of openersOf(env, platform)) {
    const status = await statusOf(start(program, [...words, target], options));
    // What rundll32 exits with means nothing.
    if (status !== undefined) return status === 0 || platform === 'win32';
  }
  return false;
}

/** The programs that open a file in the person's browser; the first one present is used. */
function openersOf({ WSL_DISTRO_NAME }: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly Opener[] {
  if (platform === 'darwin') return [['open']];
  if (platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler']];
  // In Linux on Windows this one knows the name that a browser of Windows has for the file.
  return WSL_DISTRO_NAME === undefined ? [['xdg-open']] : [['wslview'], ['xdg-open']];
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}

/** Undefined for a program that cannot be started. */
async function statusOf(child: ChildProcess): Promise<number | null | undefined> {
  child.unref();
  return await new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('exit', resolve);
  });
}

/**
 * Not hidden, and in the home folder itself: browsers that are installed as a snap see nothing else of the user's
 * files. Six random characters follow.
 */
const FOLDER = 'skinsmith-open-';
const FOLDERS = new RegExp(`^${FOLDER}\\w{6}$`);
const NAME = 'open.html';
/** Milliseconds after which a link in such a file has expired. */
const LEFTOVER_AGE = 5 * 60_000;

/**
 * Writes a file that redirects a browser to a link; only this user can read it.
 * @param home empty for a user without a home folder
 * @returns its path; undefined when the home folder is missing or cannot be written to
 */
function writeBrowserFile(home: string, link: string): string | undefined {
  if (home === '') return undefined;
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(home, FOLDER)); // mode 0700
    const path = join(folder, NAME);
    writeFileSync(path, pageFor(link), { mode: 0o600, flag: 'wx' });
    return path;
  } catch {
    if (folder !== undefined) removeBrowserFile(join(folder, NAME));
    return undefined;
  }
}

/** Removes a file and its folder. What cannot be removed now is removed by a later run. */
function removeBrowserFile(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // A browser on Windows may have it open.
  }
}

/** Removes the leftovers of killed runs. */
function removeOldBrowserFiles(home: string, now: number): void {
  const folders = namesIn(home).filter((name) => FOLDERS.test(name));
  for (const folder of folders.map((name) => join(home, name)))
    if (isLeftover(folder, now)) removeBrowserFile(join(folder, NAME));
}

/** A folder of our own holds nothing else. */
function isLeftover(folder: string, now: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.mtimeMs > now - LEFTOVER_AGE) return false;
  return namesIn(folder).every((name) => name === NAME);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // what we cannot read is not ours
  }
}

function pageFor(link: string): string {
  const address = markupData(link);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>skinsmith</title>
<p><a href="${address}">Open the pages of skinsmith</a></p>
</html>
`;
}

export interface OpenOptions {
  readonly data?: string;
  readonly store?: string;
  readonly storePooler?: boolean;
  readonly port?: number;
  /** False: only print the address. */
  readonly browser: boolean;
}

/** Milliseconds that a person has to sign in after the browser has opened. */
const PATIENCE = 60_000;

const ADVICE: Readonly<Record<Exclude<BrowserOpenResult, 'used'>, string>> = {
  unopened: 'Could not open a browser. Open the link yourself.',
  unwritten: 'Your home folder is not writable, so the browser cannot get the link. Open the link yourself.',
  unused: 'No sign-in yet. If your browser does not show the page, open the link yourself.',
};

interface OpenView {
  readonly url: string;
}

const FIELDS: Fields<OpenView> = { url: 'link that signs in once, within five minutes: keep it to yourself' };

export const open = {
  description:
    'Open the pages of the service on this machine, signed in.\n' +
    'Uses the service that is running with the data folder or database, or starts one and runs it until ' +
    'interrupted. The browser asks for confirmation, then signs you in as the owner through a single-use link. It gets the link ' +
    'from a file in your home folder that only you can read and that is removed within a minute, because ' +
    'other users of the machine can see command lines.',
  examples: {
    'Make skins in the browser': 'skinsmith open',
    'Sign in with a browser elsewhere: print the link': 'skinsmith open --no-browser',
  },
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare: (command) =>
    command
      .option('--data <folder>', 'data folder of the service', nonEmpty)
      .option('--store <url>', 'PostgreSQL database of the service', nonEmpty)
      .option('--store-pooler', 'the database is behind a transaction pooler such as PgBouncer')
      .option(
        '--port <port>',
        'port to listen on if no service runs; 0 for any free port (default: 7546)',
        wholeNumber(0, 65_535),
      )
      .option('--no-browser', 'print the link and open nothing'),
  run: runOpen,
} satisfies CommandModule;

/** Opens a file in the browser, see `openBrowser`. */
type Launch = (path: string, surroundings: { readonly env: NodeJS.ProcessEnv }) => Promise<boolean>;

/** A link to a running service, and the store that it uses. */
interface Shown {
  readonly origin: string;
  readonly link: OwnerLink;
  readonly place: Pick<ServerOptions, 'dataDir' | 'store'>;
}

export async function runOpen(
  { data, store: named, storePooler, port, browser }: OpenOptions,
  context: CommandContext,
  launch: Launch = openBrowser,
): Promise<void> {
  const dataDir = data ?? context.folders.data;
  const pooled = { ...(named && { store: named }), ...(storePooler && { storePooler }) };
  const place = { dataDir, store: chooseStore(pooled, context) };
  const { makeLinkOfOwner } = await import('../../server/server.ts');
  const link = await makeLinkOfOwner(place, context.clock);
  const show = async (shown: Shown) => await showLink(shown, context, browser ? launch : undefined);
  const { url: origin, doubtful } = await findService(link?.services ?? [], context);
  for (const url of doubtful) await context.messages.warn(doubtAbout(url));
  if (link && origin !== undefined) {
    if ((await show({ origin, link, place })) !== 'used') context.signal.throwIfAborted();
    return;
  }
  const options = { data: dataDir, port, logLevel: 'warn', ...pooled } as const;
  return await serveAndShow(options, context, show);
}

function doubtAbout(url: string): string {
  return (
    `The program at ${url} does not prove that it is a service with this store, so it gets no link. ` +
    'If it is an older skinsmith, or runs without pages, restart it.'
  );
}

async function serveAndShow(
  options: ServeOptions,
  context: CommandContext,
  show: (shown: Shown) => Promise<unknown>,
): Promise<void> {
  const { makeLinkOfOwner, startServer } = await import('../../server/server.ts');
  const place = await serverOptions(options, context);
  // Webhooks wait for `serve`, which knows the networks that they may reach.
  const server = await startServer({ ...place, isBrief: true, webhooks: false });
  try {
    context.messages.say(`Serving at ${server.url} until you press Ctrl-C.`);
    const link = await makeLinkOfOwner(place, context.clock);
    // A service that has just started has a store.
    if (!link) throw new CliError('no_store', 'The data folder was removed while the service started.');
    await show({ origin: server.url, link, place });
    await aborted(context.signal);
  } finally {
    await server.close();
  }
}

/** `launch`: opens a file in the browser; absent to open none, and then it is unknown whether the link was used. */
async function showLink(
  shown: Shown,
  context: CommandContext,
  launch: Launch | undefined,
): Promise<BrowserOpenResult | undefined> {
  const { io, env, clock, flags, signal, messages } = context;
  const view: OpenView = { url: `${shown.origin}${shown.link.path}` };
  io.out.write(flags.json ? jsonLine(view) : `${view.url}\n`);
  if (!launch) return undefined;
  const { waitForLink } = await import('../../server/server.ts');
  const led = await openInBrowser(view.url, {
    home: env['HOME'] || homedir(),
    now: clock.now(),
    launch: async (path) => await launch(path, { env }),
    untilUsed: async (unopened) => {
      const waiting = { clock, signal: AbortSignal.any([signal, unopened]), limit: PATIENCE };
      return await waitForLink(shown.place, shown.link, waiting);
    },
  });
  if (led !== 'used' && !signal.aborted) messages.say(ADVICE[led]);
  return led;
}

/** Milliseconds for a service on this machine to answer. */
const SERVICE_PATIENCE = 3_000;

interface Found {
  /** Address of the first service that has proved what it is. */
  readonly url: string | undefined;
  /** Where something else answers, or a service that cannot prove it. */
  readonly doubtful: readonly string[];
}

/** Looks where services were last reached, without sending any secret. */
async function findService(
  services: readonly RememberedService[],
  { env, signal }: Pick<CommandContext, 'env' | 'signal'>,
): Promise<Found> {
  const doubtful: string[] = [];
  const sender = await openSender(readProxies(env));
  try {
    for (const service of services) {
      const proof = await askForProof(service, { sender, signal });
      if (proof === service.proof) return { url: service.url, doubtful };
      if (proof !== undefined) doubtful.push(service.url);
    }
    return { url: undefined, doubtful };
  } finally {
    await sender.destroy();
  }
}

/** Empty for an answer without a proof; undefined if there is no answer. */
async function askForProof(
  { url, question }: RememberedService,
  { sender, signal }: { readonly sender: Sender; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(`${url}${question}`);
  try {
    const { statusCode, headers, body } = await sender.request({
      ...{ origin, path: pathname + search, method: 'GET' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(SERVICE_PATIENCE)]),
    });
    body.on('error', () => {}).destroy(); // untrusted, of any length
    return (statusCode === 204 && String(headers['skinsmith-proof'] ?? '')) || '';
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
