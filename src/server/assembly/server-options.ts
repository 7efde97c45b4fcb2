import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Proxies } from '../../base/proxies.ts';
import type { GameAddresses } from '../../game/addresses.ts';
import type { GameOptions } from '../../game/game.ts';
import type { ErrorCode } from '../../protocol/errors.ts';
import type { WardrobeRule } from '../../protocol/player.ts';
import type { AccountRules } from '../accounts/availability.ts';
import type { FindPack, Site } from '../context.ts';
import type { GeneratorKind } from '../generators/port.ts';
import type { UpstreamSettings } from '../generators/upstream/contact.ts';
import type { Pages } from '../http/app.ts';
import type { NetworkLimits } from '../http/connections.ts';
import type { LogAddresses, LogLevel, LogStream } from '../http/log.ts';
import type { OpenIdSettings } from '../openid/claims.ts';
import type { Draw } from '../pictures/render-thread.ts';
import type { Migration } from '../store/meta.ts';
import type { PostgresSettings } from '../store/postgres/postgres-store.ts';

export interface ServerOptions {
  // Where the service listens, and its public address.
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
  /** Address that goes into signed texture URLs; default: where the server listens. */
  readonly publicUrl?: string;
  /**
   * Proxies whose X-Forwarded-For is trusted: addresses, networks and `loopback`, separated by commas; default: none.
   */
  readonly trustProxy?: string;
  readonly networkLimits?: Partial<NetworkLimits>;

  // How the skin data is made.
  /** Jobs to generate at the same time, by all nodes of the service together; 0: accept jobs but generate nothing. */
  readonly workers?: number;
  /** What makes the skin data; default: `signing`, our own key. */
  readonly generator?: GeneratorKind;
  /** For the generator `upstream`. */
  readonly upstream?: UpstreamSettings;
  /** Minimum milliseconds of a generation, to rehearse with a slow service. */
  readonly pace?: number;
  /**
   * Called before each generation with the picture's pixel hash: takes as long as it likes, and returns the code of the
   * error with which the job fails, if it should.
   */
  readonly rehearse?: (pixels: string, signal: AbortSignal) => Promise<ErrorCode | undefined>;
  /** For a pixel hash: where it gives another number than before, that picture's skin data is made anew. */
  readonly edition?: (pixels: string) => number;
  /** Default: signing-key.pem in the data folder; created if missing. */
  readonly signingKeyFile?: string | undefined;
  /** The key itself, in place of the file. */
  readonly signingKey?: KeyObject | undefined;
  /** Continues with a signing key other than the one that signed the store's skins. */
  readonly newSigningKey?: boolean;

  // The game's services and the linked game accounts.
  /** The pace of requests, and the time limit of each. */
  readonly game?: Pick<GameOptions, 'rules' | 'timeout'>;
  /** Addresses of the game's services, if not the usual ones. */
  readonly gameAddresses?: Partial<GameAddresses>;
  /** Joins of players that game servers may ask about in a minute; default: 300. */
  readonly joinsPerMinute?: number;
  readonly accountRules?: Partial<AccountRules>;
  /** The key that encrypts their tokens in the store. Default: account-key in the data folder; created if missing. */
  readonly accountKeyFile?: string | undefined;
  /** ID of the operator's application at Microsoft, for linking game accounts. */
  readonly loginClientId?: string | undefined;
  /** False: only operators may link game accounts. */
  readonly userAccounts?: boolean;
  /** Proxies for the game, the upstream service and its textures, and the single sign-on provider; default: none. */
  readonly proxies?: Proxies | undefined;

  // The store, and how long it keeps things.
  /** Folder of the store and the keys; created if missing. */
  readonly dataDir: string;
  /**
   * Everything is in memory, nothing in the data folder. The owner has the API key: requests without it are anonymous,
   * as over the network.
   */
  readonly inMemory?: { readonly apiKey: string };
  /** A PostgreSQL database as the store; default: a file in the data folder. */
  readonly store?: PostgresSettings | undefined;
  readonly retentionHours?: number;
  /** Whether accepted jobs survive a power cut, because each commit waits for the disk. */
  readonly durable?: boolean;
  /** All migrations of the store that the program knows; default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Size in bytes at which the store accepts nothing new. By default, the embedded service and PostgreSQL have no limit. */
  readonly maxStoreBytes?: number;

  // Who may use the service, and how much.
  /** JSON file with plans (service/plans.ts); default: plans.json in the data folder, if it exists. */
  readonly plansFile?: string;
  /** False: every caller needs an API key. */
  readonly anonymous?: boolean;
  /** New skins per hour for all callers without a key together. */
  readonly anonymousPerHour?: number;
  /** Origins of web pages that may make and report skins, and see their visitors' jobs, without a key; `*`: any. The service's own always may. */
  readonly allowedOrigins?: readonly string[];
  /** Who may give skins to player names that nobody has yet; default: `operator`. */
  readonly wardrobe?: WardrobeRule;
  /** The single sign-on provider, in addition to keys and links. */
  readonly openId?: OpenIdSettings | undefined;
  /**
   * Private networks (CIDR) or addresses that are allowed for webhooks, pictures and the single sign-on provider.
   */
  readonly allowedNetworks?: readonly string[];
  /** The proxy for webhooks and pictures; default: none. It must refuse private networks itself. */
  readonly fetchProxies?: Proxies | undefined;
  /** False: callbacks are refused and nothing is sent. */
  readonly webhooks?: boolean;
  /** The pages for people; default: only the API. */
  readonly pages?: Pages | undefined;
  readonly site?: Partial<Site>;
  /** A resource pack by its SHA-1, which players get at /packs/<sha1>.zip; default: there is none. */
  readonly findPack?: FindPack | undefined;
  /** False: the owner gets no API key at the first start. */
  readonly ownerKey?: boolean;
  /** Whether /metrics is readable without an operator's key. */
  readonly openMetrics?: boolean;

  // Settings of the log.
  readonly logLevel?: LogLevel;
  /** What to log of callers' addresses; default: `short`. */
  readonly logAddresses?: LogAddresses;
  /** Default: stderr, because stdout is for data. */
  readonly logStream?: LogStream;

  // How it runs.
  /** Whether a single command uses the service, inside its process. */
  readonly embedded?: boolean;
  /** Whether a command runs the service only for a while, perhaps beside another with the same data. */
  readonly isBrief?: boolean;
  readonly clock?: Clock;
  /** Draws pictures; default: a thread that starts with the first one. */
  readonly draw?: Draw | undefined;
}
