import type { Clock } from '../../base/clock.ts';
import type { Proxies } from '../../base/proxies.ts';
import type { GameAddresses } from '../../game/addresses.ts';
import type { GameOptions } from '../../game/game.ts';
import type { AccountRules } from '../accounts/availability.ts';
import type { GeneratorKind } from '../generators/port.ts';
import type { UpstreamSettings } from '../generators/upstream/contact.ts';
import type { NetworkLimits } from '../http/limits.ts';
import type { LogAddresses, LogLevel, LogStream } from '../http/log.ts';
import type { OpenIdSettings } from '../openid/claims.ts';
import type { Migration } from '../store/migrate.ts';
import type { PostgresSettings } from '../store/postgres/postgres-store.ts';

/** Where the service listens, and under which address it is reached. */
interface AddressOptions {
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** Address that goes into signed texture URLs; default: where the server listens. */
  readonly publicUrl?: string;
  /**
   * Proxies whose X-Forwarded-For is trusted: addresses, networks and `loopback`, separated by commas; default: none.
   */
  readonly trustProxy?: string;
  readonly networkLimits?: Partial<NetworkLimits>;
}

/** Who makes the skin data, and how. */
interface GenerationOptions {
  /** Jobs generated at the same time, by all nodes of the service together; 0: accept and answer, generate nothing. */
  readonly workers?: number;
  /** Who makes the skin data; default: `signing`, our own key. */
  readonly generator?: GeneratorKind;
  /** For the generator `upstream`. */
  readonly upstream?: UpstreamSettings;
  /** Least milliseconds a generation takes: to rehearse against a slow service. */
  readonly pace?: number;
  /** Default: signing-key.pem in the data folder; made when missing. */
  readonly signingKeyFile?: string | undefined;
  /** Goes on with a signing key that is not the one the store's skins were signed with. */
  readonly newSigningKey?: boolean;
}

/** The game's services and the linked game accounts. */
interface GameServiceOptions {
  /** How fast they are asked, and how long one request may take. */
  readonly game?: Pick<GameOptions, 'rules' | 'timeout'>;
  /** Where the game's services are, where it is not their usual place. */
  readonly gameAddresses?: Partial<GameAddresses>;
  /** How linked game accounts are used. */
  readonly accountRules?: Partial<AccountRules>;
  /** What seals their tokens in the store. Default: account-key in the data folder; made when missing. */
  readonly accountKeyFile?: string | undefined;
  /** Id of the operator's application at Microsoft, to link game accounts with. */
  readonly loginClientId?: string | undefined;
  /** False: only operators may link game accounts. */
  readonly userAccounts?: boolean;
}

/** The ways to the network. */
interface NetworkOptions {
  /** To the game, to the other service, its textures, and to the provider that people sign in with; default: directly. */
  readonly proxies?: Proxies | undefined;
}

/** What is stored, and for how long. */
interface StoreOptions {
  /** Folder of the store and the keys; made when missing. */
  readonly dataDir: string;
  /** The database of PostgreSQL that is the store; default: a file in the data folder. */
  readonly store?: PostgresSettings | undefined;
  readonly retentionHours?: number;
  /** Whether what was accepted survives a power cut: each commit waits for the disk. */
  readonly durable?: boolean;
  /** All migrations of the store that the program knows; default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Bytes from which the store accepts nothing new; the embedded service and PostgreSQL have no limit by default. */
  readonly maxStoreBytes?: number;
}

/** Who may use the service, for how much. */
interface AccessOptions {
  /** JSON file of plans (service/plans/plans-file.ts); default: plans.json in the data folder, if it is there. */
  readonly plansFile?: string;
  /** False: every caller needs an API key. */
  readonly anonymous?: boolean;
  /** New skins that all callers without a key may have generated in any hour, together. */
  readonly anonymousPerHour?: number;
  /** Origins of web pages that may make and report skins, and see their visitors' jobs, without a key; `*`: any. Always: the service's own. */
  readonly allowedOrigins?: readonly string[];
  /** The provider that people may sign in with, beside keys and links. */
  readonly openId?: OpenIdSettings | undefined;
  /**
   * Networks (CIDR) or addresses that may be reached though they are private: by webhooks, for pictures, for the provider
   * that people sign in with.
   */
  readonly allowedNetworks?: readonly string[];
  /** Through which they are reached; default: directly. It must refuse private networks itself. */
  readonly fetchProxies?: Proxies | undefined;
  /** False: callbacks are refused and nothing is sent. */
  readonly webhooks?: boolean;
  /** False: there are no pages for people, only the API. */
  readonly pages?: boolean;
  /** False: the owner gets no API key at the first start. */
  readonly ownerKey?: boolean;
  /** Whether /metrics needs no operator's key. */
  readonly openMetrics?: boolean;
}

/** What is logged. */
interface LogOptions {
  readonly logLevel?: LogLevel;
  /** How much of callers' addresses is logged; default: `short`. */
  readonly logAddresses?: LogAddresses;
  /** Default: stderr, because stdout is data. */
  readonly logStream?: LogStream;
}

export interface ServerOptions
  extends AddressOptions,
    GenerationOptions,
    GameServiceOptions,
    NetworkOptions,
    StoreOptions,
    AccessOptions,
    LogOptions {
  /** Whether one command has the service to itself, inside its process. */
  readonly embedded?: boolean;
  /** Whether a command has the service for a while only: another may have its data otherwise. */
  readonly isBrief?: boolean;
  readonly clock?: Clock;
}
