import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { DigestCache } from '../../base/digest-cache.ts';
import { acquireLock, type ProcessLock } from '../../base/process-lock.ts';
import { bareUuid } from '../../base/text.ts';
import { type LockEntry, type SourceRecord, withDigest } from '../../protocol/lock-line.ts';
import { Journal } from '../journal.ts';
import { Lockfile } from '../lockfile/lockfile.ts';
import { BatchSetupError, type Member, optionsOf } from '../model.ts';
import { type EarlierNames, isGone, OutputNames } from '../names.ts';
import type { BatchOptions, GoneSource, LockfileOutcome, PlanOptions, RenamedSource } from '../options.ts';
import { EMBEDDED, SignerRule, serviceIdentity } from '../signers.ts';
import { SuppliedSkins } from '../sources/supplied-skin.ts';
import {
  goneSources,
  type KnownSources,
  labelOf,
  moveOutputs,
  type Rename,
  renamesAmong,
  wouldEmpty,
} from './gone-sources.ts';
import { Planner } from './planner.ts';

/** The files of a batch: opened with what earlier runs left, saved with what this one made. */

export interface OpenBatch {
  readonly lockfile: Lockfile | undefined;
  readonly journal: Journal | undefined;
  readonly digests: DigestCache;
  readonly planner: Planner;
  readonly signers: SignerRule;
  /** Closes the files, releases the lock and forgets pictures that were read ahead. */
  close(): void;
}

/** How many batches without a lockfile may run at once for the same purpose. */
const MAX_SIBLINGS = 64;

/**
 * Opens the results of earlier runs. `write`: for a batch that submits, which needs exclusive use of its
 * journal; otherwise the files are only read, and nothing is created.
 * @throws BatchSetupError when another process holds the lockfile; LockfileError
 */
export async function openBatch(options: PlanOptions, { write }: { write: boolean }): Promise<OpenBatch> {
  const { lockfile: lockPath, stateDir, clock = systemClock } = options;
  const place = write ? await claimPlace(options) : { path: journalPath(options, 0), held: undefined };
  const opened: ({ close(): void } | undefined)[] = [];
  try {
    const lockfile =
      lockPath === undefined ? undefined : await Lockfile.open(lockPath, clock.now(), { merges: write });
    opened.push(lockfile);
    const journal = write ? Journal.open(place.path) : Journal.read(place.path);
    opened.push(journal);
    const digests = new DigestCache(join(stateDir, 'files.ndjson'), clock.now());
    const signers = signerRule(options);
    const planner = newPlanner(options, { lockfile, journal, digests, signers, submits: write });
    return {
      lockfile,
      journal,
      digests,
      planner,
      signers,
      close: () => {
        lockfile?.close();
        place.held?.release();
      },
    };
  } catch (error) {
    for (const one of opened) one?.close();
    place.held?.release();
    throw error;
  }
}

type PlannerParts = Pick<OpenBatch, 'lockfile' | 'journal' | 'digests' | 'signers'> & { submits: boolean };

function newPlanner(options: PlanOptions, parts: PlannerParts): Planner {
  const lockDir = dirname(options.lockfile ?? join(process.cwd(), 'skins.lock'));
  return new Planner({
    ...parts,
    variant: options.variant ?? 'auto',
    visibility: options.visibility,
    cape: options.cape === undefined ? undefined : bareUuid(options.cape),
    force: options.force ?? false,
    lockDir,
    names: new OutputNames(parts.lockfile && earlierNames(parts.lockfile, lockDir)),
    given: suppliedSkins(options),
    findSkin: options.service.findSkin,
    bedrock: options.game?.bedrock,
  });
}

/** A source that no longer exists leaves its names to others, so that a renamed file keeps its output. */
function earlierNames(lockfile: Lockfile, lockDir: string): EarlierNames {
  return {
    *all() {
      for (const { entry, record } of lockfile.records())
        for (const { name } of record.outputs ?? []) yield [name, entry];
    },
    isKept: (entry, id) => {
      const owner = lockfile.sourceOf(entry);
      return owner !== id && !isGone(owner, lockDir);
    },
  };
}

function signerRule({ service, keepSignatures = false, game, ownKey }: PlanOptions): SignerRule {
  const keys = { game: game?.keys, own: ownKey };
  return new SignerRule({ name: service.name, signingKey: service.signingKey, keepSignatures, keys });
}

function suppliedSkins({ service, game, ownKey, force = false, cape }: PlanOptions): SuppliedSkins {
  // Reading the key needs no running embedded service: it is in a file.
  const askedKey = async () => (service.name === EMBEDDED ? ownKey : await service.signingKey?.());
  return new SuppliedSkins({ service: service.name, askedKey, gameKeys: game?.keys, force, cape });
}

interface HeldJournal {
  readonly path: string;
  readonly held: ProcessLock;
}

/** A journal for this process only. Without a lockfile, a second concurrent batch gets its own journal. */
async function claimPlace(options: PlanOptions): Promise<HeldJournal> {
  for (let sibling = 0; ; sibling++) {
    const path = journalPath(options, sibling);
    const held = await acquireLock(`${path}.lock`, options.lockfile ?? 'a batch');
    if ('release' in held) return { path, held };
    if (options.lockfile !== undefined || sibling >= MAX_SIBLINGS) throw heldByAnother(options, held.holder);
  }
}

function heldByAnother(
  { lockfile = 'this batch' }: PlanOptions,
  holder: { pid: number } | undefined,
): BatchSetupError {
  const who = holder ? `process ${holder.pid}` : 'another process';
  return new BatchSetupError('lockfile_in_use', `${lockfile} is in use by ${who}.`, {
    hint: 'Wait until it ends, or use another lockfile: --lock FILE',
  });
}

/** All callers of a service share a journal: what one key has paid for is not paid for again with another. */
function journalPath(
  { service, lockfile, purpose = '', force = false, stateDir }: PlanOptions,
  sibling: number,
): string {
  const about = [serviceIdentity(service.name), lockfile ?? purpose, force ? 'force' : '', sibling];
  const id = hash('sha256', JSON.stringify(about)).slice(0, 24);
  return join(stateDir, 'journals', `${id}.ndjson`);
}

interface BatchEnd {
  readonly changes: LockfileChanges;
  /** No work is left to resume. */
  readonly isOver: boolean;
  /** Nothing stopped it early. */
  readonly isWhole: boolean;
  /** All sources were read, so that entries of any other can be dropped. */
  readonly hasReadAll: boolean;
  /** Sources without a skin. */
  readonly failed: number;
}

/**
 * Saves what the batch knows: first the lockfile, then what is known of files, and what all results make together. Only then the journal is closed, or removed
 * if everything in it is stored elsewhere. Without a lockfile a journal with failures is kept: it is all that knows
 * the skins that were made, and the next run would pay for them again.
 * @throws LockfileError; errors of the file system
 */
export function saveFiles(
  options: BatchOptions,
  files: OpenBatch,
  end: BatchEnd,
): LockfileOutcome | undefined {
  const { journal, digests } = files;
  const { isOver, isWhole, failed } = end;
  try {
    const outcome = rewriteLockfile(options, files, end);
    digests.save();
    options.deliverAll?.({ isWhole });
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

function rewriteLockfile(
  options: BatchOptions,
  files: OpenBatch,
  { changes, hasReadAll }: BatchEnd,
): LockfileOutcome | undefined {
  const { lockfile } = files;
  if (!lockfile) return undefined;
  const { prune, coverage, outputs, lockfile: path = '' } = options;
  const { sources, stems } = changes;
  const known = { lockfile, lockDir: dirname(path), sources, stems, outputs };
  const missing = coverage && hasReadAll ? goneSources({ ...known, coverage }) : [];
  const renames = renamesAmong(missing, changes.fresh(lockfile), lockfile);
  const gone = missing.filter((one) => !renames.some(({ from }) => from === one));
  const isRefused = prune === true && wouldEmpty(gone, lockfile);
  const ids = new Set(prune && !isRefused ? gone.map(({ id }) => id) : []);
  const dropped = [...ids].reduce((count, id) => count + lockfile.entriesOf(id).length, 0);
  const { isMerged = false, isUntidy } = lockfile;
  if (changes.isEmpty && ids.size === 0 && !isUntidy)
    return { written: false, bytes: lockfile.bytes, dropped, gone, renamed: [], isRefused, isMerged };
  if (prune && !isRefused) deleteOutputs(gone);
  const renamed = renames.map((rename) => moveEntries(rename, changes, known));
  for (const { from } of renames) ids.add(from.id);
  const entries = entriesOf(changes, { ...files, lockfile }, options.cape);
  const written = lockfile.rewrite(entries, (source) => !ids.has(source));
  return { written, bytes: lockfile.bytes, dropped, gone, renamed, isRefused, isMerged };
}

/** Moves all entries of a renamed source and its output files. */
function moveEntries(
  rename: Rename,
  changes: LockfileChanges,
  { lockfile, lockDir, outputs: own }: Pick<KnownSources, 'lockfile' | 'lockDir' | 'outputs'>,
): RenamedSource {
  const { from, to } = rename;
  changes.addMoved(to, lockfile.entriesOf(from.id), lockfile);
  const [before, after] = [lockfile.recordOf(from.id)?.outputs, changes.recordOf(to)?.outputs];
  const { moved, outputs } = moveOutputs(rename, { before, after, lockDir, folder: own?.folder });
  changes.setOutputs(to, outputs);
  return { from: from.label, to: labelOf(to, lockDir), outputs: moved };
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

/** The record for a source, as opposed to the one that its entry was taken over from. */
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

/** A line to be written to the lockfile: a source's result, and where it is known from. */
interface LockfileChange {
  /** The source, as the lockfile calls it. */
  readonly id: string;
  readonly key: string;
  /** The name by which the source's results call its skin; undefined: the skin's own. */
  readonly name?: string | undefined;
  /** Pixel hash of a result in the journal. */
  readonly pixels: string | undefined;
  /** The lockfile's entry to take over; undefined: the result is in the journal. */
  readonly entry: number | undefined;
}

/** Names of one source's outputs that the lockfile remembers, the latest ones: a line must not grow without limit. */
const MAX_NAMES = 10;

/** What the lockfile has to hold when the batch ends. */
export class LockfileChanges {
  readonly #changes: LockfileChange[] = [];
  /** Entries that stay as they are, by number only: thousands of objects that live on are work for the garbage collector. */
  readonly #kept: number[] = [];
  readonly #sources = new Set<string>();
  readonly #stems = new Set<string>();
  readonly #named = new Set<number>();
  /** Records for sources that are not in the lockfile yet. */
  readonly #records = new Map<string, SourceRecord>();

  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#records.size === 0;
  }

  /** Names in the lockfile of the batch's sources, as far as they were added. */
  get sources(): ReadonlySet<string> {
    return this.#sources;
  }

  get stems(): ReadonlySet<string> {
    return this.#stems;
  }

  addSource({ id, stem }: Pick<Member, 'id' | 'stem'>): void {
    this.#sources.add(id);
    this.#stems.add(stem);
  }

  /** What is known about a source beside its skin, apart from what the lockfile has. */
  recordOf(id: string): SourceRecord | undefined {
    return this.#records.get(id);
  }

  /** Records the list that names a source, and the files that were written for it: for each name those in one folder. */
  addRecord({ id, stem, record = {} }: Member, list: string | undefined, files: readonly string[]): void {
    const before = this.#records.get(id) ?? record;
    const isListed = list === undefined || list === before.list;
    const known = before.outputs?.find(({ name }) => name === stem)?.files ?? [];
    const isWritten = files.every((file) => known.includes(file));
    if (isListed && isWritten) return;
    const others = before.outputs?.filter(({ name }) => name !== stem).slice(1 - MAX_NAMES) ?? [];
    const folder = posix.dirname(files[0] ?? '');
    const beside = known.filter((file) => posix.dirname(file) === folder);
    const outputs = isWritten
      ? before.outputs
      : [...others, { name: stem, files: [...new Set([...beside, ...files])].sort() }];
    this.#records.set(id, { list: list ?? before.list, outputs });
  }

  setOutputs(id: string, outputs: NonNullable<SourceRecord['outputs']>): void {
    this.#records.set(id, { ...this.#records.get(id), outputs });
  }

  /** Results of sources that the lockfile does not have. */
  fresh(lockfile: Pick<Lockfile, 'recordOf'>): readonly LockfileChange[] {
    return this.#changes.filter(({ id }) => lockfile.recordOf(id) === undefined);
  }

  /** Takes entries over to another source, except those of work for which it has a result. */
  addMoved(id: string, entries: readonly number[], lockfile: Pick<Lockfile, 'workOf'>): void {
    const known = new Set(this.#changes.filter((change) => change.id === id).map(({ key }) => key));
    for (const entry of entries) {
      const key = lockfile.workOf(entry);
      if (!known.has(key)) this.#changes.push({ id, key, pixels: undefined, entry });
    }
  }

  /** Whether an entry is used for the first time: of several rows with the same file, the first one names its entry. */
  isFirst(entry: number): boolean {
    if (this.#named.has(entry)) return false;
    this.#named.add(entry);
    return true;
  }

  /**
   * A source has a result: in the lockfile at `entry` (under another source's name if it has `moved`), otherwise in
   * the journal.
   */
  add(
    { id, pixels }: Member,
    known: { key: string; entry?: number; moved?: boolean; name?: string | undefined },
  ): void {
    const { key, entry, moved = false, name } = known;
    if (entry !== undefined && !moved) this.#kept.push(entry);
    else this.#changes.push({ id, key, name, pixels, entry });
  }

  /** In the lockfile's order: all entries of each source that has a new one. */
  sorted(lockfile: Pick<Lockfile, 'sourceOf' | 'workOf'>): LockfileChange[] {
    const beside = this.isEmpty ? [] : this.#besideChanges(lockfile);
    return [...this.#changes, ...beside].sort((a, b) => compare(a.id, b.id) || compare(a.key, b.key));
  }

  /** Kept entries of sources about which anything else has changed: they are written again. */
  #besideChanges(lockfile: Pick<Lockfile, 'sourceOf' | 'workOf'>): LockfileChange[] {
    const ids = new Set([...this.#changes.map(({ id }) => id), ...this.#records.keys()]);
    return this.#kept
      .filter((entry) => ids.has(lockfile.sourceOf(entry)))
      .map((entry) => {
        const [id, key] = [lockfile.sourceOf(entry), lockfile.workOf(entry)];
        return { id, key, pixels: undefined, entry };
      });
  }
}

/** By code units, as the lockfile is sorted. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @throws Error of the file system */
function deleteOutputs(gone: readonly GoneSource[]): void {
  for (const { outputs } of gone) for (const path of outputs) rmSync(path, { force: true });
}
