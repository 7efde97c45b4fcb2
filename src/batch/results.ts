import type { Note } from '../protocol/envelope.ts';
import type { Journal } from './journal/journal.ts';
import type { LockEntry } from './lockfile/entry.ts';
import type { Lockfile } from './lockfile/lockfile.ts';
import type { Made } from './service/finisher.ts';
import type { Member } from './service/work.ts';
import type { BatchResult, FinishedSkin, ResultOrigin, SourceContent, SourceProblem } from './types.ts';

interface Known {
  readonly skin: FinishedSkin;
  readonly job?: string | undefined;
  readonly warnings: readonly Note[];
}

/** The skin is read when it is asked for: most of what is known already is not looked at again. */
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

export function lockedResult(member: Member, lockfile: Lockfile, entry: number): BatchResult {
  const read = () => ({ skin: skinOfEntry(lockfile.read(entry)), warnings: [] });
  return new KnownResult(member, 'lockfile', read, () => lockfile.uuidOf(entry));
}

export function madeResult(member: Member, { skin, job, warnings }: Made, origin: ResultOrigin): BatchResult {
  const { index, source, stem } = member;
  const { label, content } = source;
  return { index, source: label, stem, content, skin, version: skin.uuid, job, warnings, origin };
}

export function journaledResult(
  member: Member,
  journal: Journal,
  key: string,
  origin: ResultOrigin,
): BatchResult {
  return new KnownResult(member, origin, () => {
    const { skin, j: job, w: warnings } = journal.readDone(key);
    return { skin, job, warnings };
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
