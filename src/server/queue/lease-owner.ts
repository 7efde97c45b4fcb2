import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Names a process as the holder of leases: `host/pid/nonce`, then `#n` for each of its workers. So
 * another process on the same machine can tell at once that the holder is dead (after a kill -9)
 * and need not wait for the lease to run out.
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
  return `${owner.host}/${owner.pid}/${owner.nonce}#${index}`;
}

/**
 * Whether the holder is certainly gone: same machine, and its process does not exist, or is this one
 * under an earlier life's nonce (a container restarts as process 1 every time).
 */
export function isGone(holder: string, self: ProcessName): boolean {
  const [host, pid, rest] = holder.split('/');
  if (host !== self.host || !pid || !rest) return false;
  if (Number(pid) === self.pid) return !rest.startsWith(`${self.nonce}#`);
  return !processExists(Number(pid));
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
