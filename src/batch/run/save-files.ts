import { bareUuid } from '../../base/uuid.ts';
import { withDigest } from '../../protocol/lock-line.ts';
import type { LockEntry } from '../lockfile/entry.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import { optionsOf } from '../model/work-key.ts';
import type { BatchOptions } from '../options/options.ts';
import type { LockfileChange, LockfileChanges } from './lockfile-changes.ts';
import type { OpenBatch } from './open-batch.ts';

/** What became of the lockfile. */
export interface LockfileOutcome {
  readonly written: boolean;
  /** Entries that were dropped because their source is gone. */
  readonly dropped: number;
}

/** How a batch ended. */
interface BatchEnd {
  readonly changes: LockfileChanges;
  /** No work is left to resume. */
  readonly isOver: boolean;
  /** All sources were read, so that entries of any other can be dropped. */
  readonly hasReadAll: boolean;
  /** Sources without a skin. */
  readonly failed: number;
}

/**
 * Saves what the batch knows: first the lockfile, then what is known of files. Only then the journal is closed, or removed
 * if everything in it is stored elsewhere. Without a lockfile a journal with failures is kept: it is all that knows
 * the skins that were made, and the next run would pay for them again.
 * @throws LockfileError; errors of the file system
 */
export async function saveFiles(
  options: BatchOptions,
  files: OpenBatch,
  end: BatchEnd,
): Promise<LockfileOutcome | undefined> {
  const { journal, digests } = files;
  const { isOver, failed } = end;
  try {
    const outcome = await rewriteLockfile(options, files, end);
    files.lockfile?.cacheScan();
    digests.save();
    if (isOver && (outcome || failed === 0 || options.force))
      journal?.retire({ keepsJobs: options.follow !== false && options.force !== true });
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
  { cape, prune = false }: BatchOptions,
  files: OpenBatch,
  { changes, hasReadAll }: BatchEnd,
): Promise<LockfileOutcome | undefined> {
  const { lockfile } = files;
  if (!lockfile) return undefined;
  const isPruned = prune && hasReadAll;
  if (changes.isEmpty && !isPruned) return { written: false, dropped: 0 };
  const keep = (source: string) => !isPruned || changes.hasSource(source);
  const { written, dropped } = await lockfile.rewrite(entriesOf(changes, { ...files, lockfile }, cape), keep);
  return { written, dropped };
}

/** The new entries, one for each source and work, in the lockfile's order. */
function* entriesOf(
  changes: LockfileChanges,
  files: OpenBatch & { readonly lockfile: Lockfile },
  cape: string | undefined,
): Generator<LockEntry, void, void> {
  const options = cape === undefined ? {} : { cape: bareUuid(cape) };
  let last: LockfileChange | undefined;
  for (const change of changes.sorted(files.lockfile)) {
    if (last?.id !== change.id || last.key !== change.key) yield entryOf(change, files, options);
    last = change;
  }
}

function entryOf(
  { id, key: workKey, pixels, entry }: LockfileChange,
  { lockfile, journal }: OpenBatch,
  options: { readonly cape?: string },
): LockEntry {
  if (entry !== undefined && lockfile) return { ...lockfile.read(entry), source: id };
  if (!journal) throw new Error('A result without a journal.');
  const { skin, service, key, signer } = journal.readDone(workKey);
  const { texture, duplicate: _, ...data } = skin;
  return withDigest({
    source: id,
    ...(pixels !== undefined && { pixels }),
    options: { ...optionsOf(workKey), ...options },
    ...data,
    texture: texture.url,
    hash: texture.hash,
    service,
    ...(key !== undefined && { key }),
    ...(signer !== undefined && { signer }),
  });
}
