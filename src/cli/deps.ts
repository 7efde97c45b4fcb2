import type { BatchService, KnownToGame } from '../batch/options.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Game } from '../game/game.ts';
import { ConfigFile, type Folders, foldersFor } from './config-file.ts';
import type { Connection } from './connect.ts';
import type { Io } from './io.ts';
import type { SettingName, Settings } from './settings.ts';
import { Submissions } from './submissions.ts';
import { Talk } from './talk.ts';

/** What the user typed that every command understands. Only what was typed is there. */
export interface GlobalFlags {
  readonly baseUrl?: string;
  readonly local?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** What commands work with. Costly things are functions: `--help` opens no file, socket or store. */
export interface Deps {
  readonly io: Io;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Aborted by Ctrl-C, SIGTERM or a closed pipe. */
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
  readonly talk: Talk;
  readonly configFile: ConfigFile;
  readonly folders: Folders;
  readonly submissions: Submissions;
  /** Flags typed > environment > config file. @throws CliError */
  settings(typed?: Partial<Record<SettingName, unknown>>): Promise<Settings>;
  /** The service, started or connected to once; closed when the command ends. */
  connect(settings: Settings): Promise<Connection>;
  /** The game, which is asked for nothing yet. @throws CliError */
  game(): Promise<KnownToGame>;
  /** The service as batches know it, connected to when there is something to ask it. */
  service(settings: Settings): Promise<BatchService>;
}

/** Deps of one run, and how to close what they opened. */
export interface LiveDeps extends Deps {
  close(): Promise<void>;
}

interface DepsOptions {
  readonly io: Io;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
}

export function makeDeps({ io, env, signal, flags }: DepsOptions): LiveDeps {
  const folders = foldersFor(env);
  const configFile = new ConfigFile(folders.config);
  const talk = new Talk(io, flags);
  let connection: Promise<Connection> | undefined;
  let game: Promise<Game> | undefined;
  const openGame = async () => {
    const { gameAddresses } = await import('./game-addresses.ts');
    const addresses = gameAddresses(env);
    return (await import('../game/game.ts')).openGame(addresses && { addresses });
  };
  const open = async (settings: Settings) => {
    const { connect } = await import('./connect.ts');
    const onRequest = flags.verbose ? talk.request.bind(talk) : undefined;
    const local = flags.local ?? false;
    const onRetry = talk.retry.bind(talk);
    return await connect({ settings, env, configFile, dataDir: folders.data, local, onRequest, onRetry });
  };
  const connect = async (settings: Settings) => {
    connection ??= open(settings);
    return await connection;
  };
  return {
    io,
    env,
    clock: systemClock,
    signal,
    flags,
    talk,
    configFile,
    folders,
    submissions: new Submissions(folders.data),
    settings: async (typed = {}) => {
      const { resolveSettings } = await import('./settings.ts');
      const file = await configFile.settings();
      return resolveSettings({ flags: { 'base-url': flags.baseUrl, ...typed }, env, file });
    },
    connect,
    game: async () => {
      game ??= openGame();
      const { names, keys } = await game;
      const { PlayerNames } = await import('../batch/sources/player-names.ts');
      const { GameKeys } = await import('../batch/proof/game-keys.ts');
      return { players: new PlayerNames(names, systemClock), keys: new GameKeys(keys) };
    },
    service: async (settings) => {
      const { identify } = await import('./connect.ts');
      const identity = await identify({ settings, env, configFile, local: flags.local ?? false });
      return { ...identity, connect: async () => (await connect(settings)).client };
    },
    close: async () => {
      const opened = await connection?.catch(() => undefined); // its failure was told by whoever asked for it
      await opened?.close();
      await (await game?.catch(() => undefined))?.close(); // likewise
    },
  };
}
