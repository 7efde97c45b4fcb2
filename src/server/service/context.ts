import type { Clock } from '../../clock.ts';
import type { Game } from '../../game/game.ts';
import type { KeyDocument } from '../../protocol/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { GeneratorKind } from '../generators/generators.ts';
import type { Generator } from '../generators/port.ts';
import type { JobSignals } from '../job-signals.ts';
import type { Observer } from '../observer.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import type { OutboundPolicy } from '../outbound/target.ts';
import type { JobQueue } from '../queue/port.ts';
import type { Fetches } from '../sources/fetches.ts';
import type { Db } from '../store/store.ts';
import type { Duplicates } from './duplicates.ts';
import type { Health } from './health.ts';
import type { JobFeeds } from './job-feeds.ts';
import type { Plans } from './plans.ts';
import type { Polling } from './polling.ts';

/** Counts for whoever watches over the service. */
export interface Metrics {
  /** Whether anybody may read them, and not only an operator. */
  readonly isOpen: boolean;
  readonly contentType: string;
  read(): Promise<string>;
}

/** What the service works with; made once in server.ts. */
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
  /** Hears of what goes on, for logs and metrics. */
  readonly observer: Observer;
  /** Whether this process can do its work. */
  readonly health: Health;
  /** What it has counted; undefined for an embedded service, which counts nothing. */
  readonly metrics: Metrics | undefined;
  /** Where callbacks may lead; undefined where none are taken. */
  readonly callbacks: OutboundPolicy | undefined;
  /** The game's services: one client for all, so that its pacing sees all requests. */
  readonly game: Game;
  /** The game accounts that are linked, whether skins are made with them or not. */
  readonly accounts: Accounts;
  /** The way out to pictures that callers name. */
  readonly pictures: GuardedAgent;
  /** What callers have others' servers asked for. */
  readonly fetches: Fetches;
  /** Milliseconds until a job behind `ahead` others is done; undefined when nobody here works or knows. */
  readonly expectedWait: (uuid: string, ahead: number) => number | undefined;
  /** What keeps this process from generating; undefined while all is well. */
  readonly trouble: () => unknown;
  /** Where players' machines reach this service, no slash at its end. */
  readonly publicUrl: () => string;
  /** Where a texture of this service's own is to be fetched from. */
  readonly textureUrl: (hash: string) => string;
  /** All addresses that are known to lead to this service, no slash at their ends. */
  readonly ownAddresses: () => readonly string[];
  /** The service's own description, OpenAPI as JSON. */
  readonly description: () => Promise<string>;
  /** What others need to trust this service's signatures. */
  readonly keyDocument: () => Promise<KeyDocument>;
  /** Told of each pending job that this process answers a submission with. */
  readonly onAccepted: (uuid: string) => void;
  /** Whether the service is on its way down and takes nothing new. */
  readonly isStopping: () => boolean;
}
