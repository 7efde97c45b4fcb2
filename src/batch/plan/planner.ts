import { setImmediate } from 'node:timers/promises';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { FileMemory } from '../files/file-memory.ts';
import type { Journal } from '../journal/journal.ts';
import type { FailedRecord } from '../journal/records.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import { sourceId } from '../lockfile/source-id.ts';
import type { Member, Work } from '../service/work.ts';
import type { BatchSource, SourceProblem, VariantWish } from '../types.ts';
import type { OutputNames } from './output-names.ts';
import { lookAt } from './picture-files.ts';
import { optionLetters, workKey } from './work-key.ts';

/** What is to be done about a source. */
export type Decision =
  /** It cannot be used, and why. */
  | { readonly kind: 'refused'; readonly problem: SourceProblem }
  /** Its skin is in the lockfile: under its own name, or (`moved`) under another's. */
  | { readonly kind: 'locked'; readonly entry: number; readonly moved: boolean; readonly key: string }
  /** An earlier run of this batch made it, or failed to. */
  | { readonly kind: 'done'; readonly key: string }
  | { readonly kind: 'failed'; readonly record: FailedRecord }
  /** The same pixels and options are on their way already. */
  | { readonly kind: 'duplicate'; readonly work: Work | undefined }
  /** It has to be made. `changed`: the lockfile has the source, with other pixels or options. */
  | { readonly kind: 'new'; readonly work: Work; readonly changed: boolean };

export interface Planned {
  readonly member: Member;
  readonly decision: Decision;
}

export interface PlannerOptions {
  /** What goes for every source that says nothing else. */
  readonly variant: VariantWish;
  readonly visibility: SkinVisibility | undefined;
  /** What every skin gets. */
  readonly cape: string | undefined;
  /** Whether the work is to be submitted; else only what would be is of interest. */
  readonly submits: boolean;
  /** Make anew what the lockfile holds. */
  readonly force: boolean;
  /** Folder that the lockfile's own paths start from. */
  readonly lockDir: string;
  readonly lockfile: Lockfile | undefined;
  readonly journal: Journal | undefined;
  readonly memory: FileMemory | undefined;
  readonly names: OutputNames;
}

const OPTION_LETTERS = (['auto', 'classic', 'slim'] as const).flatMap((variant) =>
  (['public', 'unlisted', 'private'] as const).map((visibility) => optionLetters(variant, visibility)),
);
/** Milliseconds of work after which others get their turn. */
const TURN = 8;
/** Bytes of pictures that are kept from the first look until they are sent; past it they are read again. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Decides about each source, before anything is spent on it. */
export class Planner {
  readonly #options: PlannerOptions;
  readonly #pending = new Map<string, Work>();
  /** What was seen of work, where nothing will come of it: numbers, for a hundred thousand keys take ten times that. */
  readonly #seen = new Set<number>();
  #count = 0;
  #kept = 0;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  async *plan(sources: AsyncIterable<BatchSource>, signal: AbortSignal): AsyncGenerator<Planned, void, void> {
    let turn = performance.now();
    for await (const source of sources) {
      signal.throwIfAborted();
      yield this.#decide(source);
      if (performance.now() - turn < TURN) continue;
      await setImmediate();
      turn = performance.now();
    }
  }

  /** The work is done or has failed: what comes later with the same pixels asks the journal. */
  settled(work: Work): void {
    this.#pending.delete(work.key);
    this.sent(work);
  }

  /** The picture is not needed for now. */
  sent(work: Work): void {
    this.#kept -= work.bytes?.length ?? 0;
    work.bytes = undefined;
  }

  #decide(source: BatchSource): Planned {
    const { names, lockDir, memory, cape } = this.#options;
    const variant = source.variant ?? this.#options.variant;
    const look = lookAt(source.content, variant, memory);
    const index = this.#count++;
    const stem = names.take(source.stem, source.label);
    if ('problem' in look) {
      const member = { index, source, stem, id: source.label, pixels: undefined };
      return { member, decision: { kind: 'refused', problem: look.problem } };
    }
    const { pixels, bytes, warnings } = look;
    const member = { index, source, stem, id: sourceId(source.content, lockDir, pixels), pixels };
    const visibility = source.visibility ?? this.#options.visibility;
    const key = workKey({ content: contentOf(source, pixels), variant, visibility, cape });
    const decision = this.#lookUp(member, key);
    if (decision) return { member, decision };
    const members = [member];
    const work = {
      key,
      variant,
      visibility,
      cape,
      members,
      bytes,
      warnings,
      attempt: 0,
      losses: 0,
      job: undefined,
    };
    return { member, decision: this.#take(work) };
  }

  #lookUp(member: Member, key: string): Decision | undefined {
    const { lockfile, journal, force } = this.#options;
    const locked = force ? undefined : lockfile?.find(member.id, key);
    if (locked && locked.state !== 'changed') {
      return { kind: 'locked', entry: locked.entry, moved: locked.state === 'moved', key };
    }
    const state = journal?.stateOf(key);
    if (state?.step === 'done') return { kind: 'done', key };
    if (state?.step === 'failed') return { kind: 'failed', record: state.record };
    const work = this.#pending.get(key);
    work?.members.push(member);
    return work || this.#seen.has(shortKey(key)) ? { kind: 'duplicate', work } : undefined;
  }

  #take(work: Work): Decision {
    const { lockfile } = this.#options;
    const id = work.members[0]?.id ?? '';
    const changed = lockfile?.find(id, work.key)?.state === 'changed';
    const decision = { kind: 'new', work, changed } as const;
    if (!this.#options.submits) {
      this.#seen.add(shortKey(work.key));
      return decision;
    }
    this.#pending.set(work.key, work);
    this.#kept += work.bytes?.length ?? 0;
    if (this.#kept > KEPT_BYTES) this.sent(work);
    return decision;
  }
}

function contentOf({ content }: BatchSource, pixels: string | undefined) {
  if (pixels !== undefined) return { pixels };
  if (content.kind === 'url') return { url: content.url };
  if (content.kind === 'user') return { user: content.user };
  throw new Error(`A source of kind ${content.kind} has no content.`); // those were refused before
}

/** 48 bits of the content and the options: one wrong match in fifty thousand plans of a hundred thousand sources. */
function shortKey(key: string): number {
  return Number.parseInt(key.slice(0, 12), 16) * 16 + OPTION_LETTERS.indexOf(key.slice(-2));
}
