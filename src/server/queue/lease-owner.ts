import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Names a process as the holder of leases: `host/pid/nonce`, then `#n` for each of its workers. This lets another
 * process detect at once that the holder is gone (holders.ts), without waiting for the lease to expire.
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
export function workerPrefix(owner: ProcessName): string {
  return `${nodeName(owner)}#`;
}

/** The name of the process itself. */
export function nodeName({ host, pid, nonce }: ProcessName): string {
  return `${host}/${pid}/${nonce}`;
}

/** The process that a worker belongs to. */
export function nodeOf(holder: string): string {
  const end = holder.lastIndexOf('#');
  return end < 0 ? holder : holder.slice(0, end);
}
