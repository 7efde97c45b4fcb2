import { systemClock, WakeUpSignal } from '../../base/clock.ts';
import type { Job } from '../../protocol/job.ts';
import { entryProblem, readEntry } from '../lockfile/lockfile.ts';
import type { BatchResult, Member, ResultOrigin, SourceProblem, Work } from '../model.ts';
import {
  type BatchEvent,
  type BatchOptions,
  type BatchSummary,
  DeliveryError,
  type RunningProgress,
} from '../options.ts';
import { skinOptions } from '../pictures.ts';
import type { MadeSkin } from '../skin-maker/result-verifier.ts';
import { SkinMaker } from '../skin-maker/skin-maker.ts';
import { LockfileChanges, type OpenBatch, openBatch, saveFiles } from './batch-files.ts';
import type { LockedSource, Planned, SourceDecision } from './planner.ts';
import {
  failedResult,
  givenResult,
  journaledResult,
  lockedName,
  lockedResult,
  madeResult,
  ownName,
  ProgressCount,
} from './results.ts';

/** Maximum work waiting for submission; reading of sources pauses beyond it. */
const AHEAD = 10_000;
/** The same for sources that are held whole in digests. */
const AHEAD_HELD = 500;

/**
 * Makes a skin from each source: plans, submits new work through the caller's slots, proves and delivers the
 * results. Safe to kill at any moment; the same call again resumes.
 * @throws BatchSetupError; LockfileError; what `deliver` throws; the service's errors that affect all sources
 */
export async function runBatch(options: BatchOptions): Promise<BatchSummary> {
  const files = await openBatch(options, { write: true });
  try {
    return await new BatchRun(options, files).run();
  } finally {
    files.close();
  }
}

class BatchRun {
  readonly #options: BatchOptions;
  readonly #files: OpenBatch;
  readonly #changes = new LockfileChanges();
  readonly #count = new ProgressCount();
  readonly #stop = new AbortController();
  readonly #hardStop = new AbortController();
  readonly #changed: WakeUpSignal;
  #service: SkinMaker | undefined;
  /** Work held back until all sources are read and the user knows why it is made again. */
  readonly #outdated: Work[] = [];
  #fatal: { readonly error: unknown } | undefined;
  #isInterrupted = false;
  /** Whether there was no place for some work. */
  #hasLeft = false;

  constructor(options: BatchOptions, files: OpenBatch) {
    this.#options = options;
    this.#files = files;
    this.#changed = new WakeUpSignal(options.clock ?? systemClock);
  }

  get progress(): RunningProgress {
    const { dispatcher, leastSeconds = 0 } = this.#service ?? {};
    return { ...this.#count.progress(dispatcher?.open ?? 0), leastSeconds };
  }

  async run(): Promise<BatchSummary> {
    this.#options.onProgress?.(() => this.progress);
    const unlisten = this.#listenForInterruption();
    try {
      await this.#planAll();
      await this.#untilSettled();
    } catch (error) {
      this.#fail(error);
    } finally {
      unlisten();
      await this.#service?.dispatcher.close();
      this.#hardStop.abort(); // no one waits for the last answers
    }
    const end = this.#end;
    if ((end === 'stopped' || end === 'halted') && this.#options.follow !== false)
      for (const work of this.#files.planner.unsettled) this.#leave(work);
    const isOver = end === 'complete' && !this.#fatal;
    const { hasReadAll, failed } = this.#count;
    const isWhole = end !== 'interrupted' && !this.#fatal;
    const saved = { changes: this.#changes, isOver, isWhole, hasReadAll, failed };
    const lockfile = saveFiles(this.#options, this.#files, saved);
    if (this.#fatal) throw this.#fatal.error;
    const { open = 0, halt } = this.#service?.dispatcher ?? {};
    return { ...this.#count.summary(open), end, ...(end === 'halted' && { halt }), lockfile };
  }

  get #end(): BatchSummary['end'] {
    if (this.#isInterrupted) return 'interrupted';
    const { isSpent = false, halt } = this.#service?.dispatcher ?? {};
    if (!isSpent && !this.#hasLeft) return 'complete';
    return halt ? 'halted' : 'stopped';
  }

  async #planAll(): Promise<void> {
    const { planner } = this.#files;
    for await (const planned of planner.plan(this.#options.sources, this.#stop.signal))
      await this.#begin(planned);
    this.#count.hasReadAll = true;
    if (this.#outdated.length > 0) this.#service ??= await this.#contact();
    this.#tellPlan();
    if (this.#service) for (const work of this.#outdated) this.#add(work, this.#service);
    this.#service?.dispatcher.noMore();
  }

  /**
   * Once nothing more is submitted, sources are read on only to know which of them are left. What may still get a place in the
   * budget waits for it: the service may have some of the skins already.
   */
  #add(work: Work, service: SkinMaker): void {
    const [member] = work.members;
    const { isSpent, halt } = service.dispatcher;
    const mayWait = !halt && member && !this.#isAhead(member);
    if (isSpent && !mayWait && !service.hasBegun(work)) this.#leave(work);
    else service.add(work);
  }

  #leave(work: Work): void {
    this.#hasLeft = true;
    this.#files.planner.settled(work);
    for (const { index, source } of work.members) this.#tell({ type: 'left', index, source: source.label });
  }

  /** Acts on a decision, then waits while too much work is ahead. */
  async #begin(planned: Planned): Promise<void> {
    this.#count.planned(planned);
    if (this.#options.coverage) this.#changes.addSource(planned.member);
    const { member, decision } = planned;
    await this.#act(member, decision);
    while (this.#isAhead(member) && !this.#service?.dispatcher.isSpent)
      await this.#changed.wait(undefined, this.#stop.signal);
  }

  #tellPlan(): void {
    const { progress } = this;
    const { list: outdated, unknownSigner } = this.#count.signers;
    const seconds = this.#service?.estimate(progress.wanted);
    this.#tell({ type: 'planned', progress, seconds, outdated, unknownSigner });
  }

  #isAhead(member: Member): boolean {
    const isHeld = member.source.content.kind === 'bytes';
    return (this.#service?.dispatcher.waiting ?? 0) >= (isHeld ? AHEAD_HELD : AHEAD);
  }

  async #act(member: Member, decision: SourceDecision): Promise<void> {
    const { journal } = this.#files;
    switch (decision.kind) {
      case 'locked':
        return await this.#finishLocked(member, decision);
      case 'refused':
        return await this.#finish(failedResult(member, decision.problem), member);
      case 'given':
        return await this.#finishGiven(member, decision);
      case 'done':
        this.#addChange(member, decision.key, decision.origin);
        return await this.#finish(journaledResult(member, journal!, decision.key, decision.origin), member);
      case 'failed':
        return await this.#finish(failedResult(member, decision.record, decision.record.j), member);
      case 'repeated':
        if (decision.work?.job) this.#accepted(member, decision.work, decision.work.job);
        return;
      case 'new':
        if (decision.outdated) {
          this.#outdated.push(decision.work);
          return;
        }
        this.#service ??= await this.#contact();
        this.#add(decision.work, this.#service);
        return;
      case 'unverified':
        this.#service ??= await this.#contact();
        this.#service.add(decision.work);
    }
  }

  /** Checks the entry before anything is written from it, including its own line under a new name. */
  async #finishLocked(member: Member, decision: LockedSource): Promise<void> {
    const { lockfile, signers } = this.#files;
    const { entry, moved, key } = decision;
    const name = lockedName(member, moved);
    const hasRival = !moved && lockfile!.hasRival(entry);
    const read = name === undefined && !hasRival ? undefined : readEntry(lockfile!, entry, signers);
    if (read && 'problem' in read) return await this.#finish(failedResult(member, read.problem), member);
    const isRenamed = name !== undefined && read?.entry.name !== name && this.#changes.isFirst(entry);
    this.#changes.add(member, { key, entry, moved: moved || isRenamed || hasRival, name });
    await this.#finish(lockedResult(member, lockfile!, decision, signers), member);
  }

  /** Written to the journal like a new skin, so that the lockfile gets it. */
  async #finishGiven(member: Member, decision: Extract<SourceDecision, { kind: 'given' }>): Promise<void> {
    const { key: k, skin: given, warnings: w } = decision;
    const { signedBy, ...skin } = given;
    this.#files.journal?.done({ k, skin, w: [...w], service: this.#options.service.name, ...signedBy });
    this.#changes.add(member, decision);
    await this.#finish(givenResult(member, decision), member);
  }

  async #contact(): Promise<SkinMaker> {
    const { journal, planner, lockfile } = this.#files;
    lockfile?.verifyWritable();
    if (!journal) throw new Error('A batch that submits needs a journal.');
    journal.verifyIntact();
    return await SkinMaker.open({
      options: this.#options,
      journal,
      stop: this.#stop.signal,
      hardStop: this.#hardStop.signal,
      onWaiting: (reason, message, ms) => this.#tell({ type: 'waiting', reason, message, ms }),
      onAccepted: (work, job) => {
        planner.sent(work);
        this.#count.accepted();
        work.job = job;
        for (const member of work.members) this.#accepted(member, work, job);
      },
      onAgain: (work, message, { mayCost = false } = {}) =>
        this.#tell({ type: 'again', source: work.members[0]?.source.label ?? '', message, mayCost }),
      onDone: async (work, made) => await this.#workDone(work, made),
      onFailed: async (work, problem, job) => await this.#workFailed(work, problem, job),
      onAlone: (message) => this.#tell({ type: 'alone', message }),
      onFatal: (error) => this.#fail(error),
      onChange: () => this.#changed.notify(),
    });
  }

  #accepted({ index, source: { label: source, content } }: Member, work: Work, job: Job): void {
    this.#tell({ type: 'accepted', index, source, content, options: skinOptions(work), job });
    if (this.#options.follow === false) this.#count.handedOver();
    this.#changed.notify();
  }

  async #untilSettled(): Promise<void> {
    while (this.#service && !this.#service.dispatcher.isSettled)
      await this.#changed.wait(undefined, this.#stop.signal);
  }

  async #workDone(work: Work, made: MadeSkin): Promise<void> {
    this.#files.planner.settled(work);
    if (made.skin.duplicate) this.#service?.dispatcher.wasKnown(work);
    for (const [position, member] of work.members.entries()) {
      const origin = position === 0 ? 'made' : 'repeated';
      this.#addChange(member, work.key, origin);
      await this.#finish(madeResult(member, made, origin), member);
    }
  }

  #addChange(member: Member, key: string, origin: ResultOrigin): void {
    this.#changes.add(member, { key, name: ownName(member, origin === 'repeated') });
  }

  async #workFailed(work: Work, problem: SourceProblem, job: string | undefined): Promise<void> {
    this.#files.planner.settled(work);
    for (const member of work.members) await this.#finish(failedResult(member, problem, job), member);
  }

  /** Delivers a result and counts it. */
  async #finish(result: BatchResult, member: Member): Promise<void> {
    try {
      const files = await this.#options.deliver?.(result);
      this.#delivered(result, member, files ?? []);
    } catch (error) {
      await this.#undelivered(error, result, member);
    }
  }

  #delivered(result: BatchResult, member: Member, files: readonly string[]): void {
    this.#tell({ type: 'result', result });
    this.#count.finished(result);
    if (result.error) this.#options.coverage?.addFailure(member.source);
    else this.#changes.addRecord(member, this.#files.planner.listOf(member), files);
  }

  /** The entry of a known result may turn out to be damaged only now. */
  async #undelivered(error: unknown, result: BatchResult, member: Member): Promise<void> {
    if (error instanceof DeliveryError) {
      const { code, message, hint } = error;
      return this.#delivered(failedResult(member, { code, message, hint }), member, []);
    }
    if (result.origin !== 'lockfile') throw error;
    await this.#finish(failedResult(member, entryProblem(error)), member);
  }

  #tell(event: BatchEvent): void {
    this.#options.onEvent?.(event);
  }

  #listenForInterruption(): () => void {
    const { signal, clock = systemClock } = this.#options;
    const interrupt = () => {
      this.#isInterrupted = true;
      this.#stop.abort(signal?.reason);
      const hard = () => this.#hardStop.abort(signal?.reason);
      const { lastAnswersIn = 0 } = this.#service ?? {};
      if (lastAnswersIn === 0) hard();
      else void clock.sleep(lastAnswersIn, this.#hardStop.signal).then(hard, () => {}); // aborted: nothing is in flight
    };
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    return () => {
      signal?.removeEventListener('abort', interrupt);
    };
  }

  #fail(error: unknown): void {
    if (this.#isInterrupted) return;
    this.#fatal ??= { error };
    this.#stop.abort();
  }
}
