import type { Clock } from '../../base/clock.ts';
import type { Game } from '../../game/game.ts';
import type { KeyDocument } from '../../protocol/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { JobSignals } from '../events/job-signals.ts';
import type { Observer } from '../events/observer.ts';
import type { Generator, GeneratorKind } from '../generators/port.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import type { OutboundPolicy } from '../outbound/target.ts';
import type { JobQueue } from '../queue/port.ts';
import type { Fetches } from '../sources/fetches.ts';
import type { HeldRoom } from '../sources/held-room.ts';
import type { Db } from '../store/db.ts';
import type { OpenRequests } from './callers/open-requests.ts';
import type { WebPages } from './callers/web-pages.ts';
import type { JobFeeds } from './jobs/job-feeds.ts';
import type { Duplicates } from './limits/duplicates.ts';
import type { Polling } from './limits/polling.ts';
import type { StoreCeiling } from './limits/store-ceiling.ts';
import type { Plans } from './plans/plans.ts';
import type { Health } from './status/health.ts';
import type { Stats } from './status/stats.ts';

export interface Workers {
  readonly count: number;
  /** Typical duration of a job, milliseconds; undefined while unknown. */
  typicalTime(): number | undefined;
  /** Whether a lease belongs to a worker of this process. */
  isOwn(leaseOwner: string): boolean;
}

/** The dependencies of the service; created once in server.ts. */
export interface ServiceContext {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly generator: Generator;
  readonly generatorKind: GeneratorKind;
  readonly signals: JobSignals;
  readonly feeds: JobFeeds;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly polling: Polling;
  readonly duplicates: Duplicates;
  /** Receives events for logs and metrics. */
  readonly observer: Observer;
  /** Whether this process can do its work. */
  readonly health: Health;
  /** Open requests, which end when their key is revoked. */
  readonly openRequests: OpenRequests;
  /** Maximum size of the store. */
  readonly ceiling: StoreCeiling;
  /** Statistics of the whole service. */
  readonly stats: Stats;
  /** Web page origins that may generate skins without a key. */
  readonly webPages: WebPages;
  /** The metrics; undefined for an embedded service, which keeps none. */
  readonly metrics: Metrics | undefined;
  /** Rules for callback URLs; undefined if callbacks are disabled. */
  readonly callbacks: OutboundPolicy | undefined;
  /** The game's services: one client for all, so that its pacing sees all requests. */
  readonly game: Game;
  /** The linked game accounts, whether or not skins are made with them. */
  readonly accounts: Accounts;
  /** Whether regular users may link game accounts. */
  readonly usersMayLink: boolean;
  /** Guarded HTTP client for pictures at callers' URLs. */
  readonly pictures: GuardedAgent;
  /** Limits on requests to other servers on behalf of callers. */
  readonly fetches: Fetches;
  /** Memory reserved for requests whose pictures are being fetched. */
  readonly heldRoom: HeldRoom;
  /** The workers of this process and their statistics. */
  readonly workers: Workers;
  /** What keeps this process from generating; undefined if nothing does. */
  readonly trouble: () => unknown;
  /** Base URL at which players' machines reach this service, without a trailing slash. */
  readonly publicUrl: () => string;
  /** URL of a texture on this service. */
  readonly textureUrl: (hash: string) => string;
  /** All known base URLs of this service, without trailing slashes. */
  readonly ownAddresses: () => readonly string[];
  /** The service's own description, OpenAPI as JSON. */
  readonly description: () => Promise<string>;
  /** The public key and related data that others need to trust this service's signatures. */
  readonly keyDocument: () => Promise<KeyDocument>;
  /** Called with each pending job that this process returns for a submission. */
  readonly onAccepted: (uuid: string) => void;
  /** Whether the service is shutting down and accepts nothing new. */
  readonly isStopping: () => boolean;
}
