import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processExists } from '../../base/process-exists.ts';

/** Milliseconds after which a temporary file of another machine, or of an older program, counts as abandoned. */
const ABANDONED_AGE = 60 * 60_000;
const NAME = /([0-9a-f]{8})-(\d+)-[0-9a-f]{12}/;

/** A name for a temporary file or folder, from which the process and machine that write it can be told. */
export function nameOfWork(): string {
  return `${thisMachine()}-${process.pid}-${randomBytes(6).toString('hex')}`;
}

/**
 * Removes unfinished work whose process was killed: it may hold a signing key and a whole store.
 * @param isWork whether a name in the folder is that of such work
 */
export async function removeLeftovers(
  folder: string,
  isWork: (name: string) => boolean,
  now: number,
): Promise<void> {
  for (const name of (await readdir(folder)).filter(isWork)) {
    const path = join(folder, name);
    const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? {}; // another process may remove it, too
    if (mtimeMs === undefined || !isAbandoned(name, { mtimeMs, now })) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function isAbandoned(name: string, { mtimeMs, now }: { mtimeMs: number; now: number }): boolean {
  const [, machine, pid] = NAME.exec(name) ?? [];
  if (machine !== thisMachine()) return mtimeMs <= now - ABANDONED_AGE;
  // A container starts every time with the same process id.
  if (Number(pid) === process.pid) return mtimeMs < Date.now() - process.uptime() * 1000;
  return !processExists(Number(pid));
}

function thisMachine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}
