import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { processExists } from '../../base/process-exists.ts';

/**
 * Names a process as the holder of leases: `host/pid/nonce`, then `#n` for each of its workers. This lets another
 * process on the same machine detect at once that the holder is dead (after kill -9), without waiting for the
 * lease to expire.
 */
export interface ProcessName {
  readonly host: string;
  readonly pid: number;
  readonly nonce: string;
}

export function nameThisProcess(): ProcessName {
  return { host: hostname().replaceAll('/', '_'), pid: process.pid, nonce: randomBytes(6).toString('hex') };
}

export function workerName(owner: ProcessName, index: number): string {
  return `${workerPrefix(owner)}${index}`;
}

/** The common prefix of the names of a process's workers. */
export function workerPrefix({ host, pid, nonce }: ProcessName): string {
  return `${host}/${pid}/${nonce}#`;
}

/**
 * Whether the holder is certainly gone: it was on this machine, and its process no longer exists or is this one with
 * an earlier nonce (a container restarts as process 1 every time).
 */
export function isGone(holder: string, self: ProcessName): boolean {
  const [host, pid, rest] = holder.split('/');
  if (host !== self.host || !pid || !rest) return false;
  if (Number(pid) === self.pid) return !rest.startsWith(`${self.nonce}#`);
  return !processExists(Number(pid));
}
