import type { Note } from '../../protocol/envelope.ts';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { Journal } from '../journal.ts';
import type { LockEntry } from '../lockfile/entries.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import { soundEntry } from '../lockfile/lockfile.ts';
import type { BatchResult, FinishedSkin, ResultOrigin } from '../model/result.ts';
import type { SourceContent, SourceProblem } from '../model/source.ts';
import { type Member, nameOf } from '../model/work.ts';
import type { SignerRule } from '../plan/signer-rule.ts';
import type { Made } from '../skin-maker/result-verifier.ts';

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
  readonly wantedStem: string | undefined;
  readonly record: SourceRecord | undefined;
  readonly content: SourceContent;
  readonly origin: ResultOrigin;
  readonly #read: () => Known;
  readonly #version: () => string;
  #known: Known | undefined;

  constructor(member: Member, origin: ResultOrigin, read: () => Known, version?: () => string) {
    this.index = member.index;
    this.source = member.source.label;
    this.stem = member.stem;
    this.wantedStem = member.wantedStem;
    this.record = member.record;
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

function aboutSource({ index, source, stem, wantedStem, record }: Member) {
  const { label, content } = source;
  return { index, source: label, stem, content, ...(wantedStem !== undefined && { wantedStem }), record };
}

/** Reading its skin throws a LockfileError if the entry is damaged. */
export function lockedResult(
  member: Member,
  lockfile: Lockfile,
  { entry, moved }: { readonly entry: number; readonly moved: boolean },
  signers: SignerRule,
): BatchResult {
  const name = ownName(member, { isShared: moved });
  const read = () => {
    const sound = soundEntry(lockfile, entry, signers);
    return { skin: { ...named(skinOfEntry(sound), name), signedBy: signers.signedBy(sound) }, warnings: [] };
  };
  return new KnownResult(member, 'lockfile', read, () => versionOf(lockfile.uuidOf(entry), name));
}

export function madeResult(member: Member, { skin, job, warnings }: Made, origin: ResultOrigin): BatchResult {
  const name = ownName(member, { isShared: origin === 'duplicate' });
  const notes = [...warnings, ...nameNotes(member.source.name, skin, origin)];
  const version = versionOf(skin.uuid, name);
  return { ...aboutSource(member), skin: named(skin, name), version, job, warnings: notes, origin };
}

/** The skin data that the source is. */
export function givenResult(member: Member, { skin, warnings }: Omit<Made, 'job'>): BatchResult {
  return { ...aboutSource(member), skin, version: skin.uuid, warnings, origin: 'given' };
}

/**
 * The name by which a source's results call its skin; undefined if that is the skin's own. Equal pictures share their skin
 * data, which somebody else may have named.
 */
export function ownName(
  { source }: Member,
  { isShared }: { readonly isShared: boolean },
): string | undefined {
  return isShared ? nameOf(source) : source.name;
}

function named(skin: FinishedSkin, name: string | undefined): FinishedSkin {
  return name === undefined ? skin : { ...skin, name };
}

/** Differs if the output differs. */
function versionOf(uuid: string, name: string | undefined): string {
  return name === undefined ? uuid : `${uuid} ${name}`;
}

/** Notes that the service has the skin under another name than the one given for the source. */
function nameNotes(wanted: string | undefined, skin: FinishedSkin, origin: ResultOrigin): readonly Note[] {
  const isShared = origin === 'duplicate' || skin.duplicate === true;
  if (wanted === undefined || !isShared || skin.name === wanted) return [];
  const whose = skin.name === undefined ? 'without a name' : `named "${skin.name}"`;
  const why =
    origin === 'duplicate' ? 'Another source has the same picture' : 'The service already has this skin';
  const message = `${why}, ${whose}: only your results call it "${wanted}".`;
  return [{ code: 'name_not_used', message }];
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
    const name = ownName(member, { isShared: origin === 'duplicate' });
    return { skin: { ...named(skin, name), signedBy }, job, warnings: notes };
  });
}

export function failedResult(member: Member, error: SourceProblem, job?: string): BatchResult {
  return { ...aboutSource(member), error, warnings: [], ...(job !== undefined && { job }) };
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
