import { dirname } from 'node:path';
import { bareUuid } from '../../base/uuid.ts';
import { withDigest } from '../../protocol/lock-line.ts';
import type { LockEntry } from '../lockfile/entries.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import { optionsOf } from '../model/work-key.ts';
import type { LockfileOutcome } from '../options/events.ts';
import type { BatchOptions } from '../options/options.ts';
import { goneSources, removeOutputs, wouldEmpty } from './gone-sources.ts';
import type { LockfileChange, LockfileChanges } from './lockfile-changes.ts';
import type { OpenBatch } from './open-batch.ts';

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
  options: BatchOptions,
  files: OpenBatch,
  { changes, hasReadAll }: BatchEnd,
): Promise<LockfileOutcome | undefined> {
  const { lockfile } = files;
  if (!lockfile) return undefined;
  const { prune, coverage, lockfile: path = '' } = options;
  const known = { lockfile, lockDir: dirname(path), sources: changes.sources, stems: changes.stems };
  const gone = prune && coverage && hasReadAll ? goneSources({ ...known, coverage }) : [];
  const isRefused = prune !== 'all' && wouldEmpty(gone, lockfile);
  const ids = new Set(isRefused ? [] : gone.map(({ id }) => id));
  if (changes.isEmpty && ids.size === 0) return { written: false, dropped: 0, gone, isRefused };
  if (!isRefused) removeOutputs(gone);
  const entries = entriesOf(changes, { ...files, lockfile }, options.cape);
  const { written, dropped } = await lockfile.rewrite(entries, (source) => !ids.has(source));
  return { written, dropped, gone, isRefused };
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
    if (last?.id !== change.id || last.key !== change.key)
      yield { ...entryOf(change, files, options), ...recorded(change.id, changes, files.lockfile) };
    last = change;
  }
}

/** What is to be recorded about a source, not about one that its entry was taken over from. */
function recorded(id: string, changes: LockfileChanges, lockfile: Lockfile): Pick<LockEntry, 'record'> {
  const record = changes.recordOf(id) ?? lockfile.recordOf(id);
  return { record: record && Object.keys(record).length > 0 ? record : undefined };
}

function entryOf(
  { id, key: workKey, name, pixels, entry }: LockfileChange,
  { lockfile, journal }: OpenBatch,
  options: { readonly cape?: string },
): LockEntry {
  const own = name === undefined ? {} : { name };
  if (entry !== undefined && lockfile) return { ...lockfile.read(entry), source: id, ...own };
  if (!journal) throw new Error('A result without a journal.');
  const { skin, service, key, signer } = journal.readDone(workKey);
  const { texture, duplicate: _, ...data } = skin;
  return withDigest({
    source: id,
    ...(pixels !== undefined && { pixels }),
    options: { ...optionsOf(workKey), ...options },
    ...data,
    ...own,
    texture: texture.url,
    hash: texture.hash,
    service,
    ...(key !== undefined && { key }),
    ...(signer !== undefined && { signer }),
  });
}
