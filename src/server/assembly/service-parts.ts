import type { Clock } from '../../base/clock.ts';
import { JobSignals } from '../events/job-signals.ts';
import { newsByNotification, shareSignals } from '../events/share-signals.ts';
import type { ServiceLog } from '../http/log.ts';
import { type Db, StoreTooNewError } from '../store/db.ts';
import { StoreGoneError } from '../store/failures.ts';
import { verifyWhole } from '../store/meta.ts';
import type { OpenStore } from '../store/open-store.ts';
import { openStore, StoreReplacedError } from '../store/sqlite.ts';
import type { Node } from './node.ts';
import type { ServerOptions } from './server-options.ts';

/** What changes while the server runs. The parts of the service are made before it is known. */
export interface RuntimeState {
  /** Known once it listens. */
  publicUrl: string;
  /** All addresses that are known to lead here, no slash at their ends. */
  ownAddresses: readonly string[];
  /** Those at which nothing but this server can listen. */
  provableAddresses: readonly string[];
  isStopping: boolean;
  readonly accepted: Set<string>;
  report: (error: unknown) => void;
  warn: (message: string) => void;
  connections: () => Promise<number>;
}

/** Before there is a log; `early` gets the warnings until then. */
export function makeRuntimeState(early: string[]): RuntimeState {
  return {
    publicUrl: '',
    ownAddresses: [],
    provableAddresses: [],
    isStopping: false,
    accepted: new Set(),
    report: () => {},
    warn: (message) => early.push(message),
    connections: async () => 0,
  };
}

/** What most parts of the service are made with. */
export interface ServiceParts extends Node {
  readonly db: Db;
  readonly signals: JobSignals;
  /** Warns the operator. */
  readonly warn: (message: string) => void;
  /** Called with bugs, and with a store that cannot be used. */
  readonly onError: (error: unknown) => void;
}

export function makeServiceParts({
  store: { db, notifier },
  state,
  node,
}: {
  readonly store: OpenStore;
  readonly state: RuntimeState;
  readonly node: Node;
}): ServiceParts {
  const signals = new JobSignals();
  if (notifier) shareSignals(signals, newsByNotification(notifier));
  return {
    ...node,
    db,
    signals,
    warn: (message) => state.warn(message),
    onError: (error) => state.report(error),
  };
}

type Options = Pick<ServerOptions, 'store' | 'dataDir' | 'durable' | 'migrations'>;

/** Opens the store that the options name: a database of PostgreSQL, or the file in the data folder. @throws StoreUnfinishedError */
export async function openStoreOf(options: Options): Promise<OpenStore> {
  const store = await open(options);
  try {
    await verifyWhole(store.db);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * The same for a few statements. They have no names, whose preparation would cost more than it saves: so there may be any
 * pooler before PostgreSQL.
 */
export async function openBriefly({ store, ...rest }: Options): Promise<OpenStore> {
  return await openStoreOf({ ...rest, store: store && { ...store, prepares: false } });
}

async function open({ store, dataDir, durable, migrations }: Options): Promise<OpenStore> {
  if (store === undefined) return await openStore(dataDir, { durable, migrations });
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
  return await openPostgresStore({ ...store, migrations });
}

/** Milliseconds in which the same error is logged once. */
const MINUTE = 60_000;
/** Different errors that are remembered. */
const MAX_KNOWN = 100;

/**
 * Logs errors of the work in the background. It is tried again several times a second, so an error that repeats is
 * logged once a minute, with the number of repetitions.
 */
export class ErrorLog {
  readonly #log: Pick<ServiceLog, 'error'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By text: when it was logged last (monotonic), and how often it has occurred since. */
  readonly #known = new Map<string, { at: number; omitted: number }>();

  constructor(log: Pick<ServiceLog, 'error'>, clock: Pick<Clock, 'monotonic'>) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `part`: of the service. */
  report(error: unknown, part: string): void {
    const isLost =
      error instanceof StoreReplacedError ||
      error instanceof StoreGoneError ||
      error instanceof StoreTooNewError;
    const text = isLost ? error.code : `${part}: ${error}`; // every part reports a lost store
    const now = this.#clock.monotonic();
    const known = this.#known.get(text);
    if (known && now - known.at < MINUTE) {
      known.omitted++;
      return;
    }
    this.#remember(text, now);
    const repeated = known && known.omitted > 0 ? { repeated: known.omitted } : {};
    if (isLost) this.#log.error({ code: error.code, ...repeated }, error.message);
    else this.#log.error({ err: error, ...repeated }, part);
  }

  #remember(text: string, at: number): void {
    this.#known.delete(text);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(text, { at, omitted: 0 });
  }
}
