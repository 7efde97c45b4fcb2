import type { Note } from '../../protocol/envelope.ts';
import type { LockEntry, SourceRecord } from '../../protocol/lock-line.ts';
import type { Journal } from '../journal.ts';
import { type Lockfile, soundEntry } from '../lockfile/lockfile.ts';
import type {
  BatchResult,
  FinishedSkin,
  Member,
  ResultOrigin,
  SourceContent,
  SourceProblem,
} from '../model.ts';
import { sentNameOf, sourceName } from '../names.ts';
import type { Progress } from '../options.ts';
import { SignerCounts, type SignerRule, UNPROVED } from '../signers.ts';
import type { MadeSkin } from '../skin-maker/result-verifier.ts';
import type { Planned, SourceDecision } from './planner.ts';

export class ProgressCount {
  /** Known skins that another service has signed, or an unknown signer. */
  readonly signers = new SignerCounts();
  readonly #count = {
    sources: 0,
    known: 0,
    repeated: 0,
    wanted: 0,
    made: 0,
    resumed: 0,
    existing: 0,
    unchanged: 0,
    given: 0,
    failed: 0,
    unproved: 0,
    submitted: 0,
    finished: 0,
  };
  /** Whether there are no more sources. */
  hasReadAll = false;
  #firstAt: number | undefined;
  #lastAt = 0;

  get failed(): number {
    return this.#count.failed;
  }

  planned({ decision }: Planned): void {
    this.#count.sources++;
    if (decision.kind === 'new') this.signers.outdated(decision.outdated);
    if (decision.kind === 'locked' && decision.hasUnknownSigner) this.signers.unknownSigner++;
    if (decision.kind === 'new') this.#count.wanted++;
    else if (isRepeated(decision)) this.#count.repeated++;
    else if (decision.kind !== 'refused' && decision.kind !== 'failed') this.#count.known++;
  }

  accepted(): void {
    this.#firstAt ??= performance.now();
    this.#count.submitted++;
  }

  /** A source is finished once its job is accepted: this batch does not follow jobs to their ends. */
  handedOver(): void {
    this.#count.finished++;
  }

  finished(result: BatchResult): void {
    this.#count.finished++;
    this.#lastAt = performance.now();
    if (result.origin === 'made' && result.skin?.signedBy?.signer === UNPROVED) this.#count.unproved++;
    const outcome = outcomeOf(result);
    if (outcome) this.#count[outcome]++;
  }

  /** `queued`: jobs of this batch on the service now. */
  progress(queued: number): Progress {
    return { ...this.#count, allRead: this.hasReadAll, queued };
  }

  summary(queued: number) {
    const progress = this.progress(queued);
    const milliseconds = this.#firstAt === undefined ? 0 : this.#lastAt - this.#firstAt;
    return { ...progress, left: progress.sources - progress.finished, milliseconds };
  }
}

const KNOWN_OUTCOMES = {
  journal: 'resumed',
  lockfile: 'unchanged',
  given: 'given',
  repeated: undefined,
} as const;

/** Undefined for a source that shares the result of another one. */
function outcomeOf(result: BatchResult) {
  if (result.error) return 'failed';
  if (result.origin === 'made') return isNew(result) ? 'made' : 'existing';
  return result.origin && KNOWN_OUTCOMES[result.origin];
}

/** Whether the source shares the skin of another one, which may be finished already. */
function isRepeated(decision: SourceDecision): boolean {
  return decision.kind === 'repeated' || (decision.kind === 'done' && decision.origin === 'repeated');
}

/** Whether an earlier run of this batch made the skin, or this one. */
export function isMade(result: Pick<BatchResult, 'origin' | 'skin'>): boolean {
  return result.origin === 'journal' || isNew(result);
}

/**
 * Whether the skin was made now. One that the service already had costs nothing. Does not look at the skin of a known
 * result: reading it from the lockfile takes longer than everything else that is done about an unchanged file.
 */
function isNew(result: Pick<BatchResult, 'origin' | 'skin'>): boolean {
  return result.origin === 'made' && result.skin?.duplicate !== true;
}

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
  return { index, source: label, stem, content, wantedStem, record };
}

/** Reading its skin throws a LockfileError if the entry is damaged. */
export function lockedResult(
  member: Member,
  lockfile: Lockfile,
  { entry, moved }: { readonly entry: number; readonly moved: boolean },
  signers: SignerRule,
): BatchResult {
  const name = lockedName(member, moved);
  const read = () => {
    const sound = soundEntry(lockfile, entry, signers);
    return { skin: { ...named(skinOfEntry(sound), name), signedBy: signers.signedBy(sound) }, warnings: [] };
  };
  return new KnownResult(member, 'lockfile', read, () => versionOf(lockfile.uuidOf(entry), name));
}

export function madeResult(
  member: Member,
  { skin, job, warnings }: MadeSkin,
  origin: ResultOrigin,
): BatchResult {
  const isShared = origin === 'repeated';
  const notes = [...warnings, ...nameNotes(member, skin, origin)];
  const version = versionOf(skin.uuid, lockedName(member, isShared));
  const own = named(skin, ownName(member, isShared));
  return { ...aboutSource(member), skin: own, version, job, warnings: notes, origin };
}

/** The skin data that the source is. */
export function givenResult(member: Member, { skin, warnings }: Omit<MadeSkin, 'job'>): BatchResult {
  return { ...aboutSource(member), skin, version: skin.uuid, warnings, origin: 'given' };
}

/** Sources that are skins, and may have a name of their own. */
const SKINS: ReadonlySet<SourceContent['kind']> = new Set(['data', 'uuid', 'bedrock']);

/**
 * The name by which a source's results call its skin; undefined if that is the skin's own. Equal pictures share their skin
 * data, which someone else may have named. `isShared`: with another source.
 */
export function ownName({ source }: Member, isShared: boolean): string | undefined {
  return isShared || !SKINS.has(source.content.kind) ? sourceName(source) : source.name;
}

/** The same for a result that the lockfile has with the name of its source. `isShared`: under another source. */
export function lockedName({ source }: Member, isShared: boolean): string | undefined {
  return isShared ? sourceName(source) : source.name;
}

function named(skin: FinishedSkin, name: string | undefined): FinishedSkin {
  if (name === undefined) return skin;
  const { uuid, name: _, ...rest } = skin;
  return { uuid, name, ...rest }; // in the order of JSON
}

/** Differs if the output differs. */
function versionOf(uuid: string, name: string | undefined): string {
  return name === undefined ? uuid : `${uuid} ${name}`;
}

/** Notes that the service has the skin under another name than the one that its source has. */
function nameNotes(member: Member, skin: FinishedSkin, origin: ResultOrigin): readonly Note[] {
  const isShared = origin === 'repeated' || skin.duplicate === true;
  const { source } = member;
  const wanted = origin === 'repeated' ? source.name : ownName(member, false);
  if (wanted === undefined || !isShared || [wanted, sentNameOf(source)].includes(skin.name)) return [];
  const whose = skin.name === undefined ? 'without a name' : `named "${skin.name}"`;
  const why =
    origin === 'repeated' ? 'Another source has the same picture' : 'The service already has this skin';
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
    const notes = [...warnings, ...nameNotes(member, skin, origin)];
    const name = ownName(member, origin === 'repeated');
    return { skin: { ...named(skin, name), signedBy }, job, warnings: notes };
  });
}

export function failedResult(member: Member, error: SourceProblem, job?: string): BatchResult {
  return { ...aboutSource(member), error, warnings: [], job };
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
