import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { Sender } from '../../base/proxies.ts';
import type { PublicSigningKey } from '../../batch/model.ts';
import type { BatchService, KnownToGame } from '../../batch/options.ts';
import type { PlayerSkin } from '../../game/profiles.ts';
import type { ConfigFile, Folders } from '../config/config-file.ts';
import type { GlobalFlags, Settings } from '../config/settings.ts';
import type { Connector } from '../connection/connector.ts';
import type { Examples } from '../help/help-page.ts';
import type { JobSources, SeenNames } from '../history.ts';
import type { CommandOutput } from '../output/described.ts';
import type { Io } from '../terminal/io.ts';
import type { Waits } from '../terminal/waits.ts';

/** Access to the game's services. */
export interface GameServices extends KnownToGame {
  /** The player's current skin, by UUID. @throws GameError */
  skinOf(playerId: string, signal: AbortSignal): Promise<PlayerSkin>;
  /** A texture that the game serves, by its URL. @throws GameError */
  textureAt(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** What commands work with. Expensive ones are functions: `--help` opens no file, socket or store. */
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
  /** The way through the proxies that the environment names; undefined: there are none. @throws CliError */
  proxied(): Promise<Sender | undefined>;
  /** The game's services; creating the client sends no request. @throws CliError */
  game(): Promise<GameServices>;
  /** This machine's signing key, if it has one; this never creates it. */
  ownKey(): Promise<PublicSigningKey | undefined>;
  /** The service as batches use it, which connects on the first request. */
  service(settings: Settings): Promise<BatchService>;
}

/** The context of one run, and a function that closes what it opened. */
export interface OpenContext extends CommandContext {
  close(): Promise<void>;
}

/** Runs a command's work with its dependencies and returns the exit status. */
export type Runner = (work: (context: CommandContext) => Promise<number>) => Promise<void>;

export interface CommandModule {
  /** The first line precedes the examples. */
  readonly description: string;
  /** The examples at the start of the command's help. */
  readonly examples: Examples;
  /** What it prints for programs; empty: nothing. */
  readonly output: readonly CommandOutput[];
  /** Adds arguments and options to a command that has its name. */
  readonly declare?: (command: Command) => void;
  /**
   * Gets the arguments, the options if the command has any, and the context; `this` is the command. Absent: `declare` sets
   * the action, which needs no context.
   */
  readonly run?: (...words: never[]) => number | Promise<number>;
}
