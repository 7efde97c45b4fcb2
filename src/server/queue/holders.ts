import { processExists } from '../../base/process-exists.ts';
import type { Db } from '../store/db.ts';
import { listNodes, NODE_IS_GONE } from '../store/nodes.ts';
import { nodeOf, type ProcessName } from './lease-owner.ts';

/** Knows which holders of leases are gone, so that nobody has to wait until their leases end. */
export interface Holders {
  /** Those of these holders that are gone. Ask about leases that were read before. */
  gone(db: Db, holders: readonly string[]): Promise<ReadonlySet<string>>;
}

/** For processes on one machine: those that no longer exist are gone. */
export function holdersHere(self: ProcessName): Holders {
  return { gone: async (_, holders) => new Set(holders.filter((holder) => isGoneHere(holder, self))) };
}

/**
 * Certain only if it was on this machine, and its process no longer exists or is this one with an earlier nonce (a
 * container restarts as process 1 every time).
 */
function isGoneHere(holder: string, self: ProcessName): boolean {
  const [host, pid, rest] = holder.split('/');
  if (host !== self.host || !pid || !rest) return false;
  if (Number(pid) === self.pid) return !rest.startsWith(`${self.nonce}#`);
  return !processExists(Number(pid));
}

/**
 * For processes on several machines: those that the store has not heard of lately are gone. Every node is in the store
 * before it takes its first lease.
 */
export const holdersByHeartbeat: Holders = {
  gone: async (db, holders) => {
    if (holders.length === 0) return new Set();
    const alive = new Set((await listNodes(db, NODE_IS_GONE)).map(({ id }) => id));
    return new Set(holders.filter((holder) => !alive.has(nodeOf(holder))));
  },
};
