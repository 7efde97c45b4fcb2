import type { KeyDocument } from '../../protocol/account.ts';
import type { Observer } from '../events/observer.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { GameServers } from '../pictures/game-servers.ts';
import type { GameTextures } from '../pictures/game-textures.ts';
import type { PlayerLooks } from '../pictures/player-looks.ts';
import type { Renders } from '../pictures/renders.ts';
import type { StoreQueue } from '../queue/store-queue.ts';
import type { AccountsContext } from './accounts/accounts.ts';
import type { OpenRequests } from './callers/open-requests.ts';
import type { FollowContext, JobFeeds } from './jobs/job-feeds.ts';
import type { JobContext, WaitContext } from './jobs/jobs.ts';
import type { OpenIdContext } from './openid/sign-in.ts';
import type { Exports } from './skins/export.ts';
import type { Searches, ServedTextures, Views } from './skins/skins.ts';
import type { DiagnosisContext } from './status/health.ts';
import type { Stats } from './status/stats.ts';
import type { SubmitContext } from './submitting/submit.ts';
import type { UsersContext } from './users/users.ts';

/** The service's own description, OpenAPI as JSON: large, so it is made once for all who ask. */
export interface Description {
  readonly plain: Uint8Array;
  readonly gzipped: Uint8Array;
  /** Names it in both forms. */
  readonly digest: string;
}

/** What the service as a whole tells about itself. */
interface StatusContext extends Omit<DiagnosisContext, 'generator'> {
  /** Receives events for logs and metrics. */
  readonly observer: Observer;
  /** Statistics of the whole service. */
  readonly stats: Stats;
  /** The metrics; undefined for an embedded service, which keeps none. */
  readonly metrics: Metrics | undefined;
  readonly description: () => Promise<Description>;
  /** The public key and related data that others need to trust this service's signatures. */
  readonly keyDocument: () => Promise<KeyDocument>;
}

/**
 * The whole service, as the HTTP adapter calls it. It is made by the assembly; each function of the service names the
 * few parts that it needs.
 */
export interface ServiceContext
  extends AccountsContext,
    FollowContext,
    JobContext,
    OpenIdContext,
    StatusContext,
    SubmitContext,
    UsersContext,
    WaitContext {
  readonly observer: Observer;
  readonly queue: StoreQueue;
  readonly feeds: JobFeeds;
  /** Exports of skins that are under way. */
  readonly exports: Exports;
  /** Searches for skins that are under way, and those that wait for their turn. */
  readonly searches: Searches;
  /** Which views of skins count. */
  readonly views: Views;
  /** Open requests, which end when their key is revoked. */
  readonly openRequests: OpenRequests;
  /** Textures as the game fetches them. */
  readonly servedTextures: ServedTextures;
  /** Addresses at which nothing but this server can listen. */
  readonly provableAddresses: () => readonly string[];
  /** Pictures of textures. */
  readonly renders: Renders;
  /** Textures of the game, for pictures. */
  readonly gameTextures: GameTextures;
  /** Textures that players wear, for pictures. */
  readonly playerLooks: PlayerLooks;
  /** Players, for game servers that ask this service instead of the game. */
  readonly gameServers: GameServers;
  /** URL of a texture on this service. */
  readonly textureUrl: (hash: string) => string;
}
