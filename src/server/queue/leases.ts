import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Expression, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { processExists } from '../../base/files.ts';
import type { Db } from '../store/db.ts';
import { DATABASE_NOW, listNodes, NODE_TIMEOUT, readDatabaseClock } from '../store/nodes.ts';

/**
 * Names a node as the holder of leases: `host/pid/nonce`, then `#n` for each of its workers. This lets another
 * node detect at once that the holder is gone (`Holders`), without waiting for the lease to expire.
 */
export interface NodeName {
  readonly host: string;
  readonly pid: number;
  readonly nonce: string;
}

export function nameThisNode(): NodeName {
  return { host: hostname().replaceAll('/', '_'), pid: process.pid, nonce: randomBytes(6).toString('hex') };
}

export function workerName(owner: NodeName, index: number): string {
  return `${workerPrefix(owner)}${index}`;
}

/** The common prefix of the names of a node's workers. */
export function workerPrefix(owner: NodeName): string {
  return `${nodeName(owner)}#`;
}

/** The name of the node itself. */
export function nodeName({ host, pid, nonce }: NodeName): string {
  return `${host}/${pid}/${nonce}`;
}

/** The node that a worker belongs to. */
export function nodeOf(holder: string): string {
  const end = holder.lastIndexOf('#');
  return end < 0 ? holder : holder.slice(0, end);
}

/** Knows which holders of leases are gone, so that their jobs need not wait until the leases end. */
export interface Holders {
  /** Which of these holders are gone. Ask about leases that were read before. */
  gone(db: Db, holders: readonly string[]): Promise<ReadonlySet<string>>;
}

/** For processes on one machine: those that no longer exist are gone. */
export function holdersHere(self: NodeName): Holders {
  return { gone: async (_, holders) => new Set(holders.filter((holder) => isGoneHere(holder, self))) };
}

/**
 * Certain only if the holder was on this machine, and its process no longer exists or is this one with an earlier
 * nonce (a container restarts as process 1 every time).
 */
function isGoneHere(holder: string, self: NodeName): boolean {
  const [host, pid, rest] = holder.split('/');
  if (host !== self.host || !pid || !rest) return false;
  if (Number(pid) === self.pid) return !rest.startsWith(`${self.nonce}#`);
  return !processExists(Number(pid));
}

/**
 * For processes on several machines: those without a recent heartbeat in the store are gone. Every node is in the store
 * before it takes its first lease.
 */
export const holdersByHeartbeat: Holders = {
  gone: async (db, holders) => {
    if (holders.length === 0) return new Set();
    const alive = new Set((await listNodes(db, NODE_TIMEOUT)).map(({ id }) => id));
    return new Set(holders.filter((holder) => !alive.has(nodeOf(holder))));
  },
};

/** When a lease ends: at a time, or that many milliseconds from now by the database's clock. */
export type LeaseEnd = { readonly until: number } | { readonly lease: number };

/** The clock that decides when leases end. All users of the same jobs need the same one. */
export interface LeaseClock {
  /** The end of a lease taken or renewed now. */
  end(): LeaseEnd;
  now(): Promise<number>;
}

/** For processes on one machine. `lease` in milliseconds. */
export function processLeases(clock: Clock, lease: number): LeaseClock {
  return { end: () => ({ until: clock.now() + lease }), now: async () => clock.now() };
}

/** For processes on several machines, whose clocks differ. `lease` in milliseconds. */
export function databaseLeases(db: Db, lease: number): LeaseClock {
  return { end: () => ({ lease }), now: async () => await readDatabaseClock(db) };
}

/** The end as an SQL expression. */
export function leaseEnd(end: LeaseEnd): Expression<number> {
  return 'until' in end ? sql<number>`${end.until}` : sql<number>`${DATABASE_NOW} + ${end.lease}`;
}
