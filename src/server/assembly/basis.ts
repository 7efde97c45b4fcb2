import { JobSignals } from '../events/job-signals.ts';
import { newsByNotification } from '../events/news-by-notification.ts';
import { shareSignals } from '../events/share-signals.ts';
import type { Db } from '../store/db.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { Live } from './live.ts';
import type { Node } from './node.ts';

/** What most parts of the service are made with. */
export interface Basis extends Node {
  readonly db: Db;
  readonly signals: JobSignals;
  /** Warns the operator. */
  readonly warn: (message: string) => void;
  /** Called with bugs, and with a store that cannot be used. */
  readonly onError: (error: unknown) => void;
}

export function makeBasis({
  store: { db, notifier },
  live,
  node,
}: {
  readonly store: OpenStore;
  readonly live: Live;
  readonly node: Node;
}): Basis {
  const signals = new JobSignals();
  if (notifier) shareSignals(signals, newsByNotification(notifier));
  return {
    ...node,
    db,
    signals,
    warn: (message) => live.warn(message),
    onError: (error) => live.report(error),
  };
}
