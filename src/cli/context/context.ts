import { isAbsolute, join } from 'node:path';
import type { Command } from 'commander';
import envPaths from 'env-paths';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Sender } from '../../base/proxies.ts';
import type { BatchService, KnownToGame } from '../../batch/options.ts';
import type { PublicSigningKey } from '../../batch/signers.ts';
import type { Game } from '../../game/game.ts';
import type { PlayerSkin } from '../../game/profiles.ts';
import type { ConfigFile, GlobalFlags, SettingName, Settings } from '../config/settings.ts';
import type { Connection } from '../connection/connect.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { JobSources, SeenNames } from '../history.ts';
import type { CommandOutput } from '../output/described.ts';
import type { ColorChoice, Io } from '../terminal/io.ts';
import { Messages, Waits } from '../terminal/messages.ts';

export interface Folders {
  readonly config: string;
  /** The folder of the store, the signing key and the record of submissions. */
  readonly data: string;
}

/** @throws CliError where there are no usual folders */
export function foldersFor(env: NodeJS.ProcessEnv): Folders {
  const usual = envPaths('skinsmith', { suffix: '' });
  return {
    config: env['SKINSMITH_CONFIG_DIR'] || absolute(usual.config, env, 'XDG_CONFIG_HOME'),
    data: env['SKINSMITH_DATA_DIR'] || absolute(usual.data, env, 'XDG_DATA_HOME'),
  };
}

/** With an empty HOME, the usual folders would be below the current one. `xdg`: may name another place. @throws CliError */
function absolute(folder: string, env: NodeJS.ProcessEnv, xdg: string): string {
  if (isAbsolute(folder)) return folder;
  const named = env[xdg] ? xdg : 'HOME';
  const why = env[xdg] ? 'is not an absolute path' : 'is empty or not set';
  throw usageError(
    'no_home',
    `No folder for settings and data: ${named} ${why}.`,
    `Set ${named}, or both SKINSMITH_CONFIG_DIR and SKINSMITH_DATA_DIR.`,
  );
}

interface GameServices extends KnownToGame {
  /** The player's current skin, by UUID. @throws GameError */
  skinOf(playerId: string, signal: AbortSignal): Promise<PlayerSkin>;
  /** A texture that the game serves, by its URL. @throws GameError */
  textureAt(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** What commands work with. Expensive ones are functions: `--help` opens no file, socket or store. */
export interface CommandContext {
  readonly io: Io;
  readonly messages: Messages;
  /** Aborted on Ctrl-C, SIGTERM or a closed pipe. */
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly flags: GlobalFlags;
  readonly waits: Waits;
  configFile(): Promise<ConfigFile>;
  readonly folders: Folders;
  readonly jobSources: JobSources;
  readonly seenNames: SeenNames;
  /** Flags typed > environment > config file. @throws CliError */
  settings(typed?: Partial<Record<SettingName, unknown>>): Promise<Settings>;
  /** The service, connected to (or started) once and closed when the command ends. */
  connect(settings: Settings): Promise<Connection>;
  /** Dispatcher for the proxies in the environment, if any. @throws CliError */
  proxied(): Promise<Sender | undefined>;
  /** The game's services; creating the client sends no request. @throws CliError */
  game(): Promise<GameServices>;
  /** This machine's signing key, if it has one; this never creates it. */
  ownKey(): Promise<PublicSigningKey | undefined>;
  /** The service as batches use it, which connects on the first request. */
  service(settings: Settings): Promise<BatchService>;
}

/** The context of one run, and a function that closes what it opened. */
interface OpenContext extends CommandContext {
  close(): Promise<void>;
}

/** The exit status of a command; none is success. */
export type ExitStatus = Promise<number> | Promise<void>;

export type Runner = (work: (context: CommandContext) => ExitStatus) => Promise<void>;

export interface CommandModule {
  /** The first line precedes the examples. */
  readonly description: string;
  /** What each command line at the start of the command's help does. */
  readonly examples: Readonly<Record<string, string>>;
  /** What it prints for programs; empty: nothing. */
  readonly output: readonly CommandOutput[];
  /** Adds arguments and options to a command that has its name. */
  readonly declare?: (command: Command) => void;
  /**
   * Gets the arguments, the options if the command has any, and the context; `this` is the command. Absent: `declare` sets
   * the action, which needs no context.
   */
  readonly run?: (...words: never[]) => ExitStatus;
}

type ContextOptions = Pick<CommandContext, 'io' | 'env' | 'signal' | 'flags'>;

type BaseContext = Omit<CommandContext, 'settings' | 'connect' | 'proxied' | 'game' | 'ownKey' | 'service'>;

/** Creates the context of one run. Modules load, and services open, on first use. */
export function openContext(options: ContextOptions): OpenContext {
  const base = baseContext(options);
  let connection: Promise<Connection> | undefined;
  let game: Promise<Game> | undefined;
  let sender: Promise<Sender | undefined> | undefined;
  let ownKey: Promise<PublicSigningKey | undefined> | undefined;
  const proxied = async () => {
    sender ??= openProxied(base);
    return await sender;
  };
  const connect = async (settings: Settings) => {
    connection ??= openConnection(settings, { ...base, proxied });
    return await connection;
  };
  const openOwnKey = async () => {
    ownKey ??= ownKeyIn(base);
    return await ownKey;
  };
  return {
    ...base,
    settings: async (typed = {}) => await readSettings(typed, base),
    connect,
    proxied,
    game: async () => {
      game ??= openGame({ ...base, proxied });
      return await gameServices(await game);
    },
    ownKey: openOwnKey,
    service: async (settings) => await batchService(settings, { ...base, connect, ownKey: openOwnKey }),
    close: async () => {
      const opened = await connection?.catch(() => undefined); // the caller that connected has reported it
      await opened?.close();
      await (await game?.catch(() => undefined))?.close(); // same here
      await (await sender?.catch(() => undefined))?.destroy(); // and here
    },
  };
}

/** Connects, and reports slow steps: the first start generates the signing key. */
export async function connectWithProgress(
  settings: Settings,
  context: Pick<CommandContext, 'connect' | 'messages'>,
): Promise<Connection> {
  const progress = await context.messages.progress('Starting');
  try {
    return await context.connect(settings);
  } finally {
    progress.stop();
  }
}

function baseContext({ io, env, signal, flags }: ContextOptions): BaseContext {
  const folders = foldersFor(env);
  const messages = new Messages(io, flags);
  let configFile: Promise<ConfigFile> | undefined;
  return {
    io,
    env,
    clock: systemClock,
    signal,
    flags,
    messages,
    waits: new Waits(messages, systemClock),
    configFile: async () => {
      configFile ??= openConfigFile(folders);
      return await configFile;
    },
    folders,
    jobSources: new JobSources(folders.data),
    seenNames: new SeenNames(folders.data),
  };
}

async function openConfigFile({ config }: Folders): Promise<ConfigFile> {
  const { ConfigFile: File } = await import('../config/settings.ts');
  return new File(config);
}

async function readSettings(
  typed: Parameters<CommandContext['settings']>[0],
  { configFile, env, flags }: BaseContext,
): Promise<Settings> {
  const { resolveSettings } = await import('../config/settings.ts');
  const file = await (await configFile()).settings();
  return resolveSettings({ flags: { 'base-url': flags.baseUrl, ...typed }, env, file });
}

/** Called only if colour can be shown, so that a pipe need not load the settings. */
export async function colorChoice(typed: string | boolean | undefined): Promise<ColorChoice> {
  if (typed === false) return 'never';
  if (typeof typed === 'string') return typed as ColorChoice;
  if (!process.stdout.isTTY && !process.stderr.isTTY && !process.env['SKINSMITH_COLOR']) return 'auto';
  const { resolveSettings } = await import('../config/settings.ts');
  try {
    const file = await (await openConfigFile(foldersFor(process.env))).settings();
    const env = { SKINSMITH_COLOR: process.env['SKINSMITH_COLOR'] };
    return resolveSettings({ flags: {}, env, file: { color: file['color'] } }).color ?? 'auto';
  } catch (error) {
    if (error instanceof CliError) return 'auto'; // code that needs the settings reports the error
    throw error;
  }
}

type WithProxies = BaseContext & Pick<CommandContext, 'proxied'>;

async function openProxied({ env }: BaseContext): Promise<Sender | undefined> {
  const { readProxies } = await import('../config/network-settings.ts');
  const proxies = readProxies(env);
  return proxies && (await (await import('../../base/proxies.ts')).openSender(proxies));
}

async function openConnection(settings: Settings, base: WithProxies): Promise<Connection> {
  const { env, flags, messages, configFile, waits, folders, proxied } = base;
  const { allowsInsecureHttp, connect } = await import('../connection/connect.ts');
  const insecureHttp = allowsInsecureHttp({ flags, env });
  const onRequest = flags.verbose ? messages.request.bind(messages) : undefined;
  const { local } = flags;
  const dataDir = folders.data;
  const surroundings = { env, configFile, dataDir, proxied };
  return await connect({ settings, ...surroundings, local, insecureHttp, onRequest, waits });
}

async function openGame({ env, proxied }: WithProxies): Promise<Game> {
  const { gameAddresses } = await import('../config/network-settings.ts');
  const addresses = gameAddresses(env);
  const sender = await proxied();
  return (await import('../../game/game.ts')).openGame({ sender, ...(addresses && { addresses }) });
}

async function gameServices({ http, names, keys }: Game): Promise<GameServices> {
  const { GameKeys } = await import('../../batch/signers.ts');
  const { BedrockPlayers, PlayerNames } = await import('../../batch/sources/player-names.ts');
  const profiles = async () => await import('../../game/profiles.ts');
  return {
    players: new PlayerNames(names, systemClock),
    bedrock: new BedrockPlayers(http, systemClock),
    keys: new GameKeys(keys),
    skinOf: async (id, signal) => await (await profiles()).fetchPlayerSkin(http, id, signal),
    textureAt: async (url, signal) => (await (await profiles()).downloadTexture(http, url, signal)).bytes,
  };
}

async function ownKeyIn({ folders }: BaseContext): Promise<PublicSigningKey | undefined> {
  const { readOwnKey } = await import('../../batch/signers.ts');
  return await readOwnKey(join(folders.data, 'signing-key.pem'));
}

/** Milliseconds that a service may be failing before its key counts as unavailable. */
const KEY_PATIENCE = { budget: 3_000, patience: 10_000 };

/** Jobs that one command has in the queue of the embedded service: two for each of its workers on two cores. */
const EMBEDDED_SLOTS = 32;

async function batchService(
  settings: Settings,
  context: BaseContext & Pick<CommandContext, 'connect' | 'ownKey'>,
): Promise<BatchService> {
  const { env, flags, signal, configFile, connect } = context;
  const { identify } = await import('../connection/connect.ts');
  const identity = await identify({ settings, env, configFile, local: flags.local });
  const open = async () => (await connect(settings)).client;
  const { EMBEDDED, signingKeyOf } = await import('../../batch/signers.ts');
  const { skinFinder } = await import('../../batch/sources/supplied-skin.ts');
  const findSkin = skinFinder(open, { signal });
  const publishedKey = async () => await signingKeyOf(await open(), { signal, retry: KEY_PATIENCE });
  if (identity.name === EMBEDDED) {
    // Until the first use there is no key file: the service makes the key when it is requested.
    const signingKey = async () => (await context.ownKey()) ?? (await publishedKey());
    return { ...identity, connect: open, signingKey, findSkin, known: { slots: EMBEDDED_SLOTS, signingKey } };
  }
  return { ...identity, connect: open, signingKey: publishedKey, findSkin };
}
