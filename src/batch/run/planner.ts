import { setImmediate } from 'node:timers/promises';
import type { DigestCache } from '../../base/digest-cache.ts';
import { mapAhead } from '../../base/streams.ts';
import type { Note } from '../../protocol/envelope.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { FailedRecord, Journal } from '../journal.ts';
import { type Lockfile, readEntry } from '../lockfile/lockfile.ts';
import {
  type BatchSource,
  type FinishedSkin,
  type Member,
  type SignedBy,
  type SourceContent,
  type SourceProblem,
  type SuppliedSkin,
  type VariantInput,
  type Work,
  type WorkContent,
  workKey,
} from '../model.ts';
import { isGone, isSameFile, type OutputNames, SourceIds, safeName } from '../names.ts';
import { type Inspected, inspectSource } from '../pictures.ts';
import type { SignerRule, SignerStatus } from '../signers.ts';
import { type BedrockPlayers, PlayerNameError } from '../sources/player-names.ts';
import { givenVariant, type SuppliedOutcome, type SuppliedSkins } from '../sources/supplied-skin.ts';

export interface PlannerOptions {
  /** For every source without a variant of its own; the same for the visibility. */
  readonly variant: VariantInput;
  readonly visibility: SkinVisibility | undefined;
  readonly cape: string | undefined;
  /** What earlier runs have left. */
  readonly lockfile: Lockfile | undefined;
  /** Folder that the lockfile's paths are relative to. */
  readonly lockDir: string;
  readonly journal: Journal | undefined;
  readonly digests: DigestCache | undefined;
  /** Whether to submit the work; otherwise the plan is only reported. */
  readonly submits: boolean;
  /** Make again what the lockfile holds. */
  readonly force: boolean;
  readonly names: OutputNames;
  readonly signers: SignerRule;
  readonly given: SuppliedSkins;
  /** Absent: no player of Bedrock Edition is looked up. */
  readonly bedrock: Pick<BedrockPlayers, 'skinOf'> | undefined;
  /** The skin of a UUID at the service; undefined: it has none. Absent: UUIDs are players'. */
  readonly findSkin: ((uuid: string) => Promise<SuppliedSkin | undefined>) | undefined;
}

/** A source and what is known about it, before others of the batch are considered. */
type Prepared =
  | Planned
  | {
      readonly work: Work;
      /** The signer of an outdated entry in the lockfile. */
      readonly outdated?: SignedBy | undefined;
      readonly given?: SuppliedOutcome | undefined;
    };

/** A source whose skin the lockfile has. */
export type LockedSource = Extract<SourceDecision, { kind: 'locked' }>;

/** Concurrent requests to services. */
const AT_ONCE = 6;
/** Milliseconds of work before yielding. */
const TURN = 8;
/** Bytes of pictures kept from planning until submission; beyond that they are read again. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Decides about each source before anything is spent on it. */
export class Planner {
  readonly #options: PlannerOptions;
  readonly #ids: SourceIds;
  readonly #pending = new Map<string, Work>();
  /** Keys of the work seen in a plan-only run. */
  readonly #seen = new Set<string>();
  /** Files that the lockfile has with another case or form of composed characters, by the name there. */
  readonly #spelled = new Map<string, string>();
  #count = 0;
  #kept = 0;

  constructor(options: PlannerOptions) {
    this.#options = options;
    this.#ids = new SourceIds(options.lockDir);
  }

  /** Each source is decided about when it is taken. */
  async *plan(sources: AsyncIterable<BatchSource>, signal: AbortSignal): AsyncGenerator<Planned, void, void> {
    let turn = performance.now();
    const prepared = mapAhead(sources, AT_ONCE, async (source) => {
      signal.throwIfAborted();
      return await this.#prepare(source, signal);
    });
    for await (const one of prepared) {
      signal.throwIfAborted();
      yield 'decision' in one ? one : this.#conclude(one);
      if (performance.now() - turn < TURN) continue;
      await setImmediate();
      turn = performance.now();
    }
  }

  /** Work that was decided on and is neither done nor failed. */
  get unsettled(): readonly Work[] {
    return [...this.#pending.values()];
  }

  /** The list that names a source, as the lockfile calls it. */
  listOf({ source: { list } }: Pick<Member, 'source'>): string | undefined {
    return list === undefined ? undefined : this.#ids.ofPath(list);
  }

  /** The work is done or has failed: later sources with the same pixels find it in the journal. */
  settled(work: Work): void {
    this.#pending.delete(work.key);
    this.sent(work);
  }

  /** The picture can be dropped; it is read again if needed. */
  sent(work: Work): void {
    this.#kept -= work.bytes?.length ?? 0;
    work.bytes = undefined;
  }

  async #prepare(source: BatchSource, signal: AbortSignal): Promise<Prepared> {
    const draft = this.#draft(source);
    const { content } = source;
    if (content.kind === 'bedrock') return await this.#prepareBedrock(draft, content, signal);
    return await (content.kind === 'uuid' ? this.#prepareUuid(draft, content.uuid) : this.#find(draft));
  }

  /** Names the source's output, in the order of the sources. */
  #draft(source: BatchSource): NumberedSource {
    const { names, lockfile } = this.#options;
    const { content } = source;
    const inspected = content.kind === 'bytes' ? this.#inspect(source) : undefined;
    const pixels = inspected && 'pixels' in inspected ? inspected.pixels : undefined;
    const id = content.kind === 'problem' ? source.label : this.#idOf(content, pixels);
    const record =
      lockfile?.recordOf(id) ??
      (content.kind === 'uuid' ? lockfile?.recordOf(`user:${content.uuid}`) : undefined);
    const own = record?.outputs?.map(({ name }) => name);
    const stem = names.take(source.stem, { id, own });
    const isOther = stem !== source.stem && !own?.includes(stem) && stem !== safeName(source.stem);
    const wantedStem = isOther ? safeName(source.stem) : undefined;
    return { index: this.#count++, stem, source, record, inspected, wantedStem };
  }

  async #find(draft: NumberedSource): Promise<Prepared> {
    const work = this.#workOf(draft);
    if ('decision' in work) return work;
    const [member] = work.members;
    const locked = this.#locked(member!, work.key);
    if (!locked) return await this.#judgeGiven({ work });
    if (!this.#options.signers.applies) return { member: member!, decision: locked };
    return await this.#judge(locked, work);
  }

  /** A skin of the service, else a player, unless an earlier run has determined which. */
  async #prepareUuid(draft: NumberedSource, uuid: string): Promise<Prepared> {
    const { source } = draft;
    const asUser: NumberedSource = { ...draft, source: { ...source, content: { kind: 'user', user: uuid } } };
    for (const one of [draft, asUser]) if (this.#isKnown(one)) return await this.#find(one);
    const given = await this.#options.findSkin?.(uuid);
    return await this.#find(given ? withGiven(draft, given) : asUser);
  }

  /** Skin data, unless the lockfile has it or an interrupted run has dealt with it. */
  async #prepareBedrock(
    draft: NumberedSource,
    content: BedrockContent,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const found = await this.#find(draft);
    const { bedrock, journal } = this.#options;
    if (!bedrock || 'decision' in found) return found;
    const { key, members } = found.work;
    const step = journal?.stateOf(key)?.step;
    if (step === 'done' || step === 'failed') return found;
    try {
      return await this.#find(withGiven(draft, await bedrock.skinOf(content, signal)));
    } catch (error) {
      if (!(error instanceof PlayerNameError)) throw error;
      const { code, message, hint } = error;
      return { member: members[0]!, decision: { kind: 'refused', problem: { code, message, hint } } };
    }
  }

  /** As the lockfile has it: a file stays the same if only the spelling of its name changes. */
  #idOf(content: SourceContent, pixels: string | undefined): string {
    const id = this.#ids.of(content, pixels);
    const { lockfile, lockDir } = this.#options;
    if (content.kind !== 'file' || !lockfile || lockfile.recordOf(id)) return id;
    const isFree = (other: string) => (this.#spelled.get(other) ?? id) === id;
    const isSpelledAnew = (other: string) => isGone(other, lockDir) || isSameFile(other, id, lockDir);
    const before = lockfile.alike(id).find((other) => isFree(other) && isSpelledAnew(other));
    if (before === undefined) return id;
    this.#spelled.set(before, id);
    return before;
  }

  #isKnown(draft: NumberedSource): boolean {
    const work = this.#workOf(draft);
    if ('decision' in work) return false;
    const { key, members } = work;
    return Boolean(this.#options.journal?.stateOf(key) ?? this.#locked(members[0]!, key));
  }

  #inspect({ content, variant, label }: BatchSource): Inspected {
    return inspectSource(content, variant ?? this.#options.variant, this.#options.digests, label);
  }

  #workOf(draft: NumberedSource): Work | Planned {
    const { index, stem, source, record, wantedStem } = draft;
    const { inspected = this.#inspect(source) } = draft;
    const { cape } = this.#options;
    const variant = source.variant ?? this.#options.variant;
    if ('problem' in inspected) {
      const id = source.content.kind === 'file' ? this.#idOf(source.content, undefined) : source.label;
      const member = { index, stem, source, record, wantedStem, id, pixels: undefined };
      return { member, decision: { kind: 'refused', problem: inspected.problem } };
    }
    const { pixels, bytes, warnings } = inspected;
    const id = this.#idOf(source.content, pixels);
    const visibility = source.visibility ?? this.#options.visibility;
    const key = workKey({ content: contentOf(source, { id, pixels }), variant, visibility, cape });
    const given = givenOf(source);
    return {
      key,
      variant: variant === 'auto' && given ? givenVariant(given) : variant,
      visibility,
      cape,
      members: [{ index, stem, source, record, wantedStem, id, pixels }],
      bytes,
      warnings,
      attempt: 0,
      losses: 0,
      job: undefined,
    };
  }

  #locked({ id }: Member, key: string): LockedSource | undefined {
    const { lockfile, force } = this.#options;
    const found = force ? undefined : lockfile?.find(id, key);
    if (!found || found.state === 'changed') return undefined;
    return { kind: 'locked', entry: found.entry, moved: found.state === 'moved', key };
  }

  /** Whether the entry still counts, judged by its signer. */
  async #judge(locked: LockedSource, work: Work): Promise<Prepared> {
    const { lockfile, signers } = this.#options;
    const member = work.members[0]!;
    const signer = lockfile?.signerOf(locked.entry);
    const kept = signer && signers.keeps(signer);
    if (kept) return { member, decision: keptAs(locked, kept) };
    const read = readEntry(lockfile!, locked.entry, signers);
    if ('problem' in read) return { member, decision: { kind: 'refused', problem: read.problem } };
    const { entry } = read;
    const { standing, signedBy } = await signers.judge(entry);
    if (standing !== 'outdated') return { member, decision: keptAs(locked, standing) };
    return await this.#judgeGiven({ work: await this.#withSkin(work, entry), outdated: signedBy });
  }

  /** A skin that the service no longer has is made from the lockfile's data. */
  async #withSkin(work: Work, { value, signature }: SuppliedSkin): Promise<Work> {
    const [member] = work.members;
    if (member?.source.content.kind !== 'uuid') return work;
    const given = (await this.#options.findSkin?.(member.source.content.uuid)) ?? { value, signature };
    const again = this.#workOf(withGiven(member, given));
    return 'decision' in again ? work : again;
  }

  /** Whether given skin data is the result. Work that an earlier run began is not checked. */
  async #judgeGiven(prepared: Exclude<Prepared, Planned>): Promise<Prepared> {
    const { work } = prepared;
    const source = work.members[0]?.source;
    const given = source && givenOf(source);
    if (!given || this.#options.journal?.stateOf(work.key)) return prepared;
    const wanted = {
      given: { ...given, name: source.name ?? given.name },
      variant: source.variant ?? this.#options.variant,
      isOfService: source.content.kind === 'uuid',
    };
    return { ...prepared, given: await this.#options.given.judge(wanted) };
  }

  #conclude({ work, outdated, given }: Exclude<Prepared, Planned>): Planned {
    const [member] = work.members;
    if (given?.kind === 'remade') work.warnings = [...work.warnings, given.note];
    const kept = given?.kind === 'kept' ? given : undefined;
    return { member: member!, decision: this.#unlocked(work, outdated, kept) };
  }

  #unlocked(
    work: Work,
    outdated?: SignedBy,
    kept?: Extract<SuppliedOutcome, { kind: 'kept' }>,
  ): SourceDecision {
    const { key } = work;
    const { journal } = this.#options;
    const state = journal?.stateOf(key);
    if (state?.step === 'done')
      return { kind: 'done', key, origin: journal?.hasFound(state) ? 'journal' : 'repeated' };
    if (state?.step === 'failed') return { kind: 'failed', record: state.record };
    if (kept) return { kind: 'given', key, skin: kept.skin, warnings: kept.warnings };
    const pending = this.#pending.get(key);
    pending?.members.push(...work.members);
    if (pending || this.#seen.has(key)) return { kind: 'repeated', work: pending };
    const decision = this.#take(work);
    if (state?.step === 'unverified') return { kind: 'unverified', work };
    return outdated ? { ...decision, outdated } : decision;
  }

  #take(work: Work): Extract<SourceDecision, { kind: 'new' }> {
    const { lockfile, submits } = this.#options;
    const id = work.members[0]?.id ?? '';
    const changed = lockfile?.find(id, work.key)?.state === 'changed';
    if (submits) {
      this.#pending.set(work.key, work);
      this.#kept += work.bytes?.length ?? 0;
      if (this.#kept > KEPT_BYTES) this.sent(work);
    } else this.#seen.add(work.key);
    return { kind: 'new', work, changed };
  }
}

function keptAs(locked: LockedSource, standing: SignerStatus): LockedSource {
  return standing === 'unknown_signer' ? { ...locked, hasUnknownSigner: true } : locked;
}

/** The decision about a source. */
export type SourceDecision =
  /** It cannot be used; gives the reason. */
  | { readonly kind: 'refused'; readonly problem: SourceProblem }
  /** Its skin is in the lockfile: under its own name or (`moved`) another one. */
  | {
      readonly kind: 'locked';
      readonly entry: number;
      readonly moved: boolean;
      readonly key: string;
      /** The signer is unknown, and that would matter. */
      readonly hasUnknownSigner?: boolean | undefined;
    }
  /** The source is itself valid skin data. */
  | {
      readonly kind: 'given';
      readonly key: string;
      readonly skin: FinishedSkin;
      readonly warnings: readonly Note[];
    }
  /** An earlier run of this batch made it, or this run did for another source (`repeated`). */
  | { readonly kind: 'done'; readonly key: string; readonly origin: 'journal' | 'repeated' }
  /** An earlier run of this batch failed to make it. */
  | { readonly kind: 'failed'; readonly record: FailedRecord }
  /** An earlier run of this batch made it but could not prove it. */
  | { readonly kind: 'unverified'; readonly work: Work }
  /** The same pixels and options are already in progress. */
  | { readonly kind: 'repeated'; readonly work: Work | undefined }
  /**
   * It has to be made. `changed`: the lockfile has the source with other pixels or options. `outdated`: it has
   * this very skin, signed by another service.
   */
  | {
      readonly kind: 'new';
      readonly work: Work;
      readonly changed: boolean;
      readonly outdated?: SignedBy | undefined;
    };

export interface Planned {
  readonly member: Member;
  readonly decision: SourceDecision;
}

/** A source with its position and output name, which never change. */
interface NumberedSource extends Omit<Member, 'id' | 'pixels'> {
  /** Its picture, if that was needed to identify it. */
  readonly inspected?: Inspected | undefined;
}

type BedrockContent = Extract<BatchSource['content'], { kind: 'bedrock' }>;

/** The same with the skin data of its UUID or player; unchanged if it is neither. */
function withGiven(draft: NumberedSource, given: SuppliedSkin): NumberedSource {
  const { source } = draft;
  if (source.content.kind !== 'uuid' && source.content.kind !== 'bedrock') return draft;
  return { ...draft, source: { ...source, content: { ...source.content, given } } };
}

/** The skin data that a source is, or that was found for it. */
function givenOf({ content }: BatchSource): SuppliedSkin | undefined {
  return 'given' in content ? content.given : undefined;
}

/** What the source's skin is made from. */
function contentOf({ content }: BatchSource, { id, pixels }: Pick<Member, 'id' | 'pixels'>): WorkContent {
  if (pixels !== undefined) return { pixels };
  if (content.kind === 'data' || content.kind === 'uuid' || content.kind === 'bedrock') return { given: id };
  if (content.kind === 'url') return { url: content.url };
  if (content.kind === 'user') return { user: content.user };
  throw new Error(`A source of kind ${content.kind} has no content.`); // refused earlier
}
