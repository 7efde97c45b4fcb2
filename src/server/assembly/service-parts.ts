import { JobSignals } from '../events/job-signals.ts';
import { newsByNotification, shareSignals } from '../events/share-signals.ts';
import type { Db } from '../store/db.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { Node } from './node.ts';

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
