import type { HealthFinding } from '../../protocol/service.ts';
import type { Db } from './db.ts';

export interface StoreConnections {
  readonly busy: number;
  readonly idle: number;
  /** Maximum number of connections. */
  readonly most: number;
  /** Requests waiting for a connection. */
  readonly waiting: number;
  /** Milliseconds for which some have been waiting without a break. */
  readonly waitingFor: number;
  /** Whether notifications of other nodes arrive. */
  readonly isListening: boolean;
}

/** Sends short texts between the processes that use the same store, at once but unreliably. */
export interface Notifier {
  /** Sends a text of at most `LONGEST_NOTIFICATION` bytes to all others. */
  notify(text: string): void;
  /** Calls back with the texts of others. */
  onNotification(listener: (text: string) => void): void;
}

/** Bytes. */
export const LONGEST_NOTIFICATION = 7_000;

/** A store that this process has opened. */
export interface OpenStore {
  readonly db: Db;
  /** Set if processes cannot watch the store itself. */
  readonly notifier?: Notifier;
  /** Whether another process has written since the last call. */
  changedByOthers(): boolean;
  /** This process's connections to the store; undefined: it is a file. */
  connections?(): StoreConnections;
  /** Findings about the database besides its schema. */
  examine(): Promise<HealthFinding[]>;
  /** Bytes in use. */
  usedBytes(): number;
  /**
   * Whether the store's files were removed or replaced. Once a check finds that, nothing is read or written any more.
   */
  isReplaced(): boolean;
  close(): Promise<void>;
}
