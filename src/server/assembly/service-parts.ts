import type { Clock } from '../../base/clock.ts';
import { JobSignals, newsByNotification, shareSignals } from '../events.ts';
import type { ServiceLog } from '../http/log.ts';
import type { Db, OpenStore } from '../store/db.ts';
import { StoreGoneError } from '../store/failures.ts';
import { verifyWhole } from '../store/meta.ts';
import { StoreTooNewError } from '../store/process-memory.ts';
import { openMemoryStore, openStore, StoreReplacedError } from '../store/sqlite.ts';
import type { Node } from './node.ts';
import type { ServerOptions } from './server-options.ts';

/** State that changes while the server runs. The parts of the service are created before it is known. */
export interface RuntimeState {
  /** Known once the server listens. */
  publicUrl: string;
  /** All known addresses of this server, without trailing slashes. */
  ownAddresses: readonly string[];
  /** The addresses at which nothing but this server can listen. */
  provableAddresses: readonly string[];
  isStopping: boolean;
  readonly accepted: Set<string>;
  report: (error: unknown) => void;
  warn: (message: string) => void;
  connections: () => Promise<number>;
}

/** The state before there is a log; `early` gets the warnings until then. */
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

/** What most parts of the service need. */
export interface ServiceParts extends Node {
  readonly db: Db;
  readonly signals: JobSignals;
  readonly warn: (message: string) => void;
  /** Called with bugs, and with errors of an unusable store. */
  readonly onError: (error: unknown) => void;
}

export function makeServiceParts({ db, notifier }: OpenStore, state: RuntimeState, node: Node): ServiceParts {
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

type OpenStoreOptions = Pick<ServerOptions, 'store' | 'dataDir' | 'inMemory' | 'durable' | 'migrations'>;

/** Opens the store that the options name: a database of PostgreSQL, or the file in the data folder. @throws StoreUnfinishedError */
export async function openStoreOf(options: OpenStoreOptions): Promise<OpenStore> {
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
 * Opens the store for a few statements, and closes it. They are not prepared, because that would cost more than it
 * saves. So any pooler may be in front of PostgreSQL.
 */
export async function withStore<T>(
  { dataDir, store: database }: Pick<OpenStoreOptions, 'dataDir' | 'store'>,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const store = await openStoreOf({ dataDir, store: database && { ...database, prepares: false } });
  try {
    return await work(store.db);
  } finally {
    await store.close();
  }
}

async function open({ store, dataDir, inMemory, durable, migrations }: OpenStoreOptions): Promise<OpenStore> {
  if (inMemory) return await openMemoryStore();
  if (store === undefined) return await openStore(dataDir, { durable, migrations });
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
  return await openPostgresStore({ ...store, migrations });
}

/** Milliseconds for which the same error is logged only once. */
const MINUTE = 60_000;
/** How many different errors to remember. */
const MAX_KNOWN = 100;

/**
 * Logs errors of background work. It retries several times a second, so a repeated error is logged once a minute, with
 * the number of repetitions.
 */
export class ErrorLog {
  readonly #log: Pick<ServiceLog, 'error'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By text: when the error was last logged (monotonic), and how often it has occurred since. */
  readonly #known = new Map<string, { at: number; omitted: number }>();

  constructor(log: Pick<ServiceLog, 'error'>, clock: Pick<Clock, 'monotonic'>) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `part`: the part of the service that failed. */
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
