import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { BatchService, KnownToGame } from '../../batch/api/options.ts';
import type { OwnKey } from '../../batch/model/own-key.ts';
import type { Game } from '../../game/game.ts';
import type { PlayerSkin } from '../../game/player-skin.ts';
import { ConfigFile, type Folders, foldersFor } from '../config/config-file.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Connection } from '../connection/connect.ts';
import type { Connector } from '../connection/connector.ts';
import { JobSources } from '../history/job-sources.ts';
import { SeenNames } from '../history/seen-names.ts';
import type { Io } from '../terminal/io.ts';
import { Messages } from '../terminal/messages.ts';
import { Waits } from '../terminal/waits.ts';

/** Access to the game's services. */
export interface CliGame extends KnownToGame {
  /** The player's current skin, by UUID. @throws GameError */
  skinOf(playerId: string, signal: AbortSignal): Promise<PlayerSkin>;
}

/** Dependencies of commands. Expensive ones are functions: `--help` opens no file, socket or store. */
export interface CommandContext extends Connector {
  readonly io: Io;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly flags: GlobalFlags;
  /** Reports what the command waits for. */
  readonly waits: Waits;
  readonly configFile: ConfigFile;
  readonly folders: Folders;
  readonly jobSources: JobSources;
  readonly seenNames: SeenNames;
  /** The game's services; creating the client sends no request. @throws CliError */
  game(): Promise<CliGame>;
  /** This machine's signing key, if it has one; this never creates it. */
  ownKey(): Promise<OwnKey | undefined>;
  /** The service as batches use it, which connects on the first request. */
  service(settings: Settings): Promise<BatchService>;
}

/** The dependencies of one run, and a function that closes what they opened. */
export interface OpenContext extends CommandContext {
  close(): Promise<void>;
}

interface ContextOptions {
  readonly io: Io;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly flags: GlobalFlags;
}

/** Milliseconds that a service may be failing before its key counts as unavailable. */
const KEY_PATIENCE = { budget: 3_000, patience: 10_000 };

export function openContext({ io, env, signal, flags }: ContextOptions): OpenContext {
  const folders = foldersFor(env);
  const configFile = new ConfigFile(folders.config);
  const messages = new Messages(io, flags);
  const waits = new Waits(messages, systemClock);
  let connection: Promise<Connection> | undefined;
  let game: Promise<Game> | undefined;
  let ownKey: Promise<OwnKey | undefined> | undefined;
  const openGame = async () => {
    const { gameAddresses } = await import('../config/game-addresses.ts');
    const addresses = gameAddresses(env);
    return (await import('../../game/game.ts')).openGame(addresses && { addresses });
  };
  const open = async (settings: Settings) => {
    const { allowsInsecureHttp, connect } = await import('../connection/connect.ts');
    const insecureHttp = allowsInsecureHttp({ flags, env });
    const onRequest = flags.verbose ? messages.request.bind(messages) : undefined;
    const { local } = flags;
    const dataDir = folders.data;
    return await connect({ settings, env, configFile, dataDir, local, insecureHttp, onRequest, waits });
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
    messages,
    waits,
    configFile,
    folders,
    jobSources: new JobSources(folders.data),
    seenNames: new SeenNames(folders.data),
    settings: async (typed = {}) => {
      const { resolveSettings } = await import('../config/settings.ts');
      const file = await configFile.settings();
      return resolveSettings({ flags: { 'base-url': flags.baseUrl, ...typed }, env, file });
    },
    connect,
    game: async () => {
      game ??= openGame();
      const { http, names, keys } = await game;
      const { PlayerNames } = await import('../../batch/sources/player-names.ts');
      const { GameKeys } = await import('../../batch/proof/game-keys.ts');
      const skinOf: CliGame['skinOf'] = async (id, gone) => {
        const { fetchPlayerSkin } = await import('../../game/player-skin.ts');
        return await fetchPlayerSkin(http, id, gone);
      };
      return { players: new PlayerNames(names, systemClock), keys: new GameKeys(keys), skinOf };
    },
    ownKey: async () => {
      ownKey ??= import('../../batch/model/own-key.ts').then(({ readOwnKey }) =>
        readOwnKey(join(folders.data, 'signing-key.pem')),
      );
      return await ownKey;
    },
    service: async (settings) => {
      const { identify } = await import('../connection/connect.ts');
      const identity = await identify({ settings, env, configFile, local: flags.local });
      const open = async () => (await connect(settings)).client;
      const signingKey = async () => {
        const { signingKeyOf } = await import('../../batch/proof/signing-key-of.ts');
        return await signingKeyOf(await open(), { signal, retry: KEY_PATIENCE });
      };
      const { skinFinder } = await import('../../batch/sources/given/find-skin.ts');
      const findSkin = skinFinder(open, { signal });
      return { ...identity, connect: open, signingKey, findSkin };
    },
    close: async () => {
      const opened = await connection?.catch(() => undefined); // the caller that connected has reported it
      await opened?.close();
      await (await game?.catch(() => undefined))?.close(); // same here
    },
  };
}
