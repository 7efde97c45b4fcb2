import { bareUuid } from '../../dispatch/cape-texture.ts';
import type { BatchOptions } from '../api/options.ts';
import type { LockEntry } from '../lockfile/entry.ts';
import { withDigest } from '../lockfile/entry-digest.ts';
import { optionsOf } from '../model/work-key.ts';
import type { Ledger, LockfileChange } from './ledger.ts';
import type { OpenBatch } from './open-batch.ts';

export interface LockfileOutcome {
  readonly written: boolean;
  readonly dropped: number;
}

/**
 * Saves what the batch knows: first the lockfile, then the file memory; only then closes the journal, or
 * removes it once everything in it is stored elsewhere. `isOver`: no work is left to resume.
 */
export async function finishFiles(
  options: BatchOptions,
  files: OpenBatch,
  ledger: Ledger,
  { isOver }: { isOver: boolean },
): Promise<LockfileOutcome | undefined> {
  const { journal, memory } = files;
  try {
    const outcome = await rewriteLockfile(options, files, ledger);
    memory.save();
    if (isOver && (outcome || ledger.failed === 0 || options.force)) journal?.retire();
    else {
      if (isOver) journal?.end();
      journal?.close();
    }
    return outcome;
  } catch (error) {
    journal?.close();
    throw error;
  }
}

async function rewriteLockfile(
  options: BatchOptions,
  { lockfile, journal }: OpenBatch,
  ledger: Ledger,
): Promise<LockfileOutcome | undefined> {
  if (!lockfile) return undefined;
  const isPruned = options.prune === true && ledger.hasReadAll;
  if (ledger.changes.length === 0 && !isPruned) return { written: false, dropped: 0 };
  const cape = options.cape === undefined ? undefined : bareUuid(options.cape);
  const changes = ledger.lockfileChanges();
  const entries = function* () {
    let last: LockfileChange | undefined;
    for (const change of changes) {
      if (last?.id !== change.id || last.key !== change.key) yield entryOf(change);
      last = change;
    }
  };
  const entryOf = (change: LockfileChange): LockEntry => {
    if (change.entry !== undefined) return { ...lockfile.read(change.entry), source: change.id };
    if (!journal) throw new Error('A result without a journal.');
    const { skin, service, key, signer } = journal.readDone(change.key);
    const { texture, duplicate: _, ...data } = skin;
    return withDigest({
      source: change.id,
      ...(change.pixels !== undefined && { pixels: change.pixels }),
      options: { ...optionsOf(change.key), ...(cape !== undefined && { cape }) },
      ...data,
      texture: texture.url,
      hash: texture.hash,
      service,
      ...(key !== undefined && { key }),
      ...(signer !== undefined && { signer }),
    });
  };
  const keep = (source: string) => !isPruned || ledger.ids.has(source);
  const { written, dropped } = await lockfile.rewrite(entries(), keep);
  return { written, dropped };
}
