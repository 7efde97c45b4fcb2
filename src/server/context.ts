import type { KeyDocument } from '../protocol/account.ts';
import type { ServiceEvents } from './events.ts';
import type { Metrics } from './metrics.ts';
import type { PlayerLooks } from './pictures/player-looks.ts';
import type { GameTextures, Renders } from './pictures/renders.ts';
import type { KnownAddresses, Turns } from './pools.ts';
import type { StoreQueue } from './queue/store-queue.ts';
import type { AccountsContext } from './service/accounts/accounts.ts';
import type { OpenRequests } from './service/authentication.ts';
import type { GameServers } from './service/game-servers.ts';
import type { JobFeeds } from './service/jobs/job-feeds.ts';
import type { WaitContext } from './service/jobs/jobs.ts';
import type { OpenIdContext } from './service/openid.ts';
import type { WardrobeContext } from './service/players/wardrobe.ts';
import type { PollingContext } from './service/request-limits.ts';
import type { Exports } from './service/skins/export.ts';
import type { Searches, SignedByContext, Views } from './service/skins/skins.ts';
import type { DiagnosisContext } from './service/status/health.ts';
import type { Stats } from './service/status/stats.ts';
import type { SubmitContext } from './service/submitting/submit.ts';
import type { UsersContext } from './service/users/users.ts';

/** The OpenAPI description as JSON, made once for all callers because it is large. */
export interface Description {
  readonly plain: Uint8Array;
  readonly gzipped: Uint8Array;
  /** Identifies the content in both encodings. */
  readonly digest: string;
}

export interface Logo {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What the pages say about the service. Addresses are absolute or paths on this server; `contact` may be a `mailto:`. */
export interface Site {
  readonly name: string;
  readonly logo?: Logo | undefined;
  /** A text on every page. */
  readonly notice?: string | undefined;
  readonly contact?: string | undefined;
  readonly terms?: string | undefined;
  readonly privacy?: string | undefined;
}

/** The service's name, unless its operator gave it another one. */
export const USUAL_NAME = 'skinsmith';

/** A resource pack in a file that never changes; `size` in bytes. */
export interface StoredPack {
  readonly path: string;
  readonly size: number;
}

/** Finds a resource pack by its SHA-1; undefined: there is none. */
export type FindPack = (sha1: string) => Promise<StoredPack | undefined>;

interface StatusContext extends Omit<DiagnosisContext, 'generator'> {
  /** Receives events for logs and metrics. */
  readonly events: ServiceEvents;
  readonly stats: Stats;
  /** Free bytes on the disk of the store; undefined: unknown, or the store is a database elsewhere. */
  readonly diskLeft: () => Promise<number | undefined>;
  /** The metrics; undefined for an embedded service, which keeps none. */
  readonly metrics: Metrics | undefined;
  readonly description: () => Promise<Description>;
  /** The public key and related data that others need to trust this service's signatures. */
  readonly keyDocument: () => Promise<KeyDocument>;
}

/**
 * The whole service, for the HTTP adapter. The assembly creates it; each function of the service names the few parts
 * that it needs.
 */
export interface ServiceContext
  extends AccountsContext,
    PollingContext,
    OpenIdContext,
    StatusContext,
    SubmitContext,
    UsersContext,
    WaitContext,
    WardrobeContext {
  readonly events: ServiceEvents;
  readonly queue: StoreQueue;
  readonly feeds: JobFeeds;
  /** The addresses of callers that this process knows. */
  readonly known: KnownAddresses;
  /** The turns of this process's event loop. */
  readonly turns: Turns;
  readonly exports: Exports;
  readonly searches: Searches;
  readonly views: Views;
  /** Open requests, which end if their key is revoked. */
  readonly openRequests: OpenRequests;
  /** Addresses at which nothing but this server can listen. */
  readonly provableAddresses: () => readonly string[];
  readonly renders: Renders;
  readonly gameTextures: GameTextures;
  readonly playerLooks: PlayerLooks;
  /** Player look-ups for game servers that query this service instead of the game. */
  readonly gameServers: GameServers;
  readonly site: Site;
  /** A resource pack that the operator serves, by its SHA-1. */
  readonly findPack: FindPack;
  readonly ownKey: SignedByContext['ownKey'];
  readonly textureUrl: (hash: string) => string;
}
