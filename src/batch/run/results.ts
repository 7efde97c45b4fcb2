import type { Note } from '../../protocol/envelope.ts';
import type { Journal } from '../journal/journal.ts';
import type { LockEntry } from '../lockfile/entry.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import { soundEntry } from '../lockfile/sound-entry.ts';
import type { FinishedSkin } from '../model/finished-skin.ts';
import type { BatchResult, ResultOrigin } from '../model/result.ts';
import type { SourceContent, SourceProblem } from '../model/source.ts';
import type { Member } from '../model/work.ts';
import type { SignerRule } from '../plan/signer-rule.ts';
import type { Made } from '../skin-maker/finisher.ts';

interface Known {
  readonly skin: FinishedSkin;
  readonly job?: string | undefined;
  readonly warnings: readonly Note[];
}

/** The skin is read on demand: most known ones are never used again. */
class KnownResult implements BatchResult {
  readonly index: number;
  readonly source: string;
  readonly stem: string;
  readonly content: SourceContent;
  readonly origin: ResultOrigin;
  readonly #read: () => Known;
  readonly #version: () => string;
  #known: Known | undefined;

  constructor(member: Member, origin: ResultOrigin, read: () => Known, version?: () => string) {
    this.index = member.index;
    this.source = member.source.label;
    this.stem = member.stem;
    this.content = member.source.content;
    this.origin = origin;
    this.#read = read;
    this.#version = version ?? (() => this.skin.uuid);
  }

  get skin(): FinishedSkin {
    return this.#all().skin;
  }

  get version(): string {
    return this.#version();
  }

  get job(): string | undefined {
    return this.#all().job;
  }

  get warnings(): readonly Note[] {
    return this.#all().warnings;
  }

  #all(): Known {
    this.#known ??= this.#read();
    return this.#known;
  }
}

/** Reading its skin throws a LockfileError if the entry is damaged. */
export function lockedResult(
  member: Member,
  lockfile: Lockfile,
  entry: number,
  signers: SignerRule,
): BatchResult {
  const read = () => {
    const sound = soundEntry(lockfile, entry, signers);
    return { skin: { ...skinOfEntry(sound), signedBy: signers.signedBy(sound) }, warnings: [] };
  };
  return new KnownResult(member, 'lockfile', read, () => lockfile.uuidOf(entry));
}

export function madeResult(member: Member, { skin, job, warnings }: Made, origin: ResultOrigin): BatchResult {
  const { index, source, stem } = member;
  const { label, content } = source;
  const notes = [...warnings, ...nameNotes(source.name, skin, origin)];
  return { index, source: label, stem, content, skin, version: skin.uuid, job, warnings: notes, origin };
}

/** The skin data that the source is. */
export function givenResult(member: Member, { skin, warnings }: Omit<Made, 'job'>): BatchResult {
  const { index, source, stem } = member;
  const { label, content } = source;
  return { index, source: label, stem, content, skin, version: skin.uuid, warnings, origin: 'given' };
}

/** A name given for the source that the skin did not get. */
function nameNotes(wanted: string | undefined, skin: FinishedSkin, origin: ResultOrigin): readonly Note[] {
  const isShared = origin === 'duplicate' || skin.duplicate === true;
  if (wanted === undefined || !isShared || skin.name === wanted) return [];
  const whose = skin.name === undefined ? 'without a name' : `named "${skin.name}"`;
  const why =
    origin === 'duplicate' ? 'Another source has the same picture' : 'The service already has this skin';
  return [{ code: 'name_not_used', message: `${why}, ${whose}: the name "${wanted}" was not used.` }];
}

export function journaledResult(
  member: Member,
  journal: Journal,
  key: string,
  origin: ResultOrigin,
): BatchResult {
  return new KnownResult(member, origin, () => {
    const { skin, j: job, w: warnings, signer, key: signerKey } = journal.readDone(key);
    const signedBy = signer === undefined ? undefined : { signer, key: signerKey };
    const notes = [...warnings, ...nameNotes(member.source.name, skin, origin)];
    return { skin: { ...skin, signedBy }, job, warnings: notes };
  });
}

export function failedResult(
  { index, source, stem }: Member,
  error: SourceProblem,
  job?: string,
): BatchResult {
  const { label, content } = source;
  return { index, source: label, stem, content, error, warnings: [], ...(job !== undefined && { job }) };
}

function skinOfEntry(entry: LockEntry): FinishedSkin {
  const { uuid, name, variant, visibility, value, signature, texture: url, hash } = entry;
  return {
    uuid,
    ...(name !== undefined && { name }),
    variant,
    visibility,
    value,
    signature,
    texture: { url, hash },
  };
}
