import type { Db } from '../store/db.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import type { ServerOptions } from './server-options.ts';

/** Hours a finished job is kept. */
const DEFAULT_HOURS = 7 * 24;
const HOUR = 3_600_000;

/**
 * How long the service keeps finished jobs, milliseconds. `serve` records it in the store, so that a service that a
 * command starts for a while deletes nothing that `serve` would keep.
 */
export async function retentionOf(
  db: Db,
  {
    retentionHours = DEFAULT_HOURS,
    embedded,
    isBrief,
  }: Pick<ServerOptions, 'retentionHours' | 'embedded' | 'isBrief'>,
): Promise<number> {
  const usual = Number((await readMeta(db, 'retention')) ?? DEFAULT_HOURS);
  if (embedded || isBrief) return Math.max(usual, retentionHours) * HOUR;
  if (usual !== retentionHours) await writeMeta(db, 'retention', `${retentionHours}`);
  return retentionHours * HOUR;
}
