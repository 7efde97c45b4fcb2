import { systemClock } from '../clock.ts';
import type { Job } from '../protocol/job.ts';
import { finishFiles } from './ending.ts';
import type { BatchEvent, BatchSummary, Progress } from './events.ts';
import { Ledger } from './ledger.ts';
import { type OpenBatch, openBatch } from './open-batch.ts';
import { type BatchOptions, DeliveryError } from './options.ts';
import type { Planned } from './plan/planner.ts';
import { failedResult, journaledResult, lockedResult, madeResult } from './results.ts';
import { Bell } from './service/bell.ts';
import type { Made } from './service/finisher.ts';
import { ServiceSide } from './service/service-side.ts';
import { ServiceLostError } from './service/trouble.ts';
import type { Member, Work } from './service/work.ts';
import type { BatchResult, SourceProblem } from './types.ts';

/** Work that waits to be submitted, at the most: the sources behind it are read when it has gone down. */
const AHEAD = 10_000;
/** The same for sources that are held whole in memory. */
const AHEAD_HELD = 500;
/** Milliseconds that submissions under way get to hear their answer after an interruption. */
const LAST_ANSWERS = 1_500;

/**
 * Makes a skin from each source: plans, submits what is new through the caller's spots, proves and delivers
 * the results. Safe to kill at any moment; the same call again goes on.
 * @throws BatchSetupError; LockfileError; what `deliver` throws; the service's errors that concern all sources
 */
export async function runBatch(options: BatchOptions): Promise<BatchSummary> {
  const files = await openBatch(options, { write: true });
  try {
    return await new BatchRun(options, files).run();
  } finally {
    files.close();
  }
}

/** One batch while it runs. */
class BatchRun {
  readonly #options: BatchOptions;
  readonly #files: OpenBatch;
  readonly #ledger: Ledger;
  readonly #stop = new AbortController();
  readonly #hardStop = new AbortController();
  readonly #changed: Bell;
  #service: ServiceSide | undefined;
  #fatal: { readonly error: unknown } | undefined;
  #isInterrupted = false;

  constructor(options: BatchOptions, files: OpenBatch) {
    this.#options = options;
    this.#files = files;
    this.#ledger = new Ledger(options.prune ?? false);
    this.#changed = new Bell(options.clock ?? systemClock);
  }

  get progress(): Progress {
    return this.#ledger.progress(this.#service?.open ?? 0);
  }

  async run(): Promise<BatchSummary> {
    this.#options.onProgress?.(() => this.progress);
    const unlisten = this.#listenForInterruption();
    try {
      await this.#planAll();
      await this.#untilSettled();
    } catch (error) {
      if (!this.#isInterrupted && !this.#fatal) this.#fail(error);
    } finally {
      unlisten();
      await this.#service?.close();
      this.#hardStop.abort(); // nobody waits for last answers any more
    }
    const end = this.#isInterrupted ? 'interrupted' : this.#service?.isSpent ? 'stopped' : 'complete';
    const isOver = end === 'complete' && !this.#fatal;
    const lockfile = await finishFiles(this.#options, this.#files, this.#ledger, { isOver });
    if (this.#fatal) throw this.#fatal.error;
    return { ...this.#ledger.summary(this.#service?.open ?? 0), end, lockfile };
  }

  async #planAll(): Promise<void> {
    const { planner } = this.#files;
    for await (const planned of planner.plan(this.#options.sources, this.#stop.signal)) {
      this.#ledger.read(planned);
      await this.#act(planned);
      if (this.#service?.isSpent) return;
      while (this.#isAhead(planned)) await this.#changed.wait(undefined, this.#stop.signal);
    }
    this.#ledger.allRead();
    this.#service?.noMore();
    this.#tell({
      type: 'planned',
      progress: this.progress,
      seconds: this.#service?.estimate(this.progress.wanted),
    });
  }

  #isAhead({ member }: Planned): boolean {
    const isHeld = member.source.content.kind === 'bytes';
    return (this.#service?.waiting ?? 0) >= (isHeld ? AHEAD_HELD : AHEAD);
  }

  async #act({ member, decision }: Planned): Promise<void> {
    const { lockfile, journal } = this.#files;
    switch (decision.kind) {
      case 'refused':
        return await this.#finish(failedResult(member, decision.problem));
      case 'locked':
        this.#ledger.result(member, decision);
        return await this.#finish(lockedResult(member, lockfile!, decision.entry));
      case 'done':
        this.#ledger.result(member, decision);
        return await this.#finish(journaledResult(member, journal!, decision.key, 'journal'));
      case 'failed':
        return await this.#finish(failedResult(member, decision.record, decision.record.j));
      case 'duplicate':
        if (decision.work?.job) this.#accepted(member, decision.work.job);
        return;
      case 'new':
        this.#service ??= await this.#contact();
        this.#service.add(decision.work);
    }
  }

  async #contact(): Promise<ServiceSide> {
    const { journal, planner } = this.#files;
    if (!journal) throw new Error('A batch that submits needs a journal.');
    return await ServiceSide.open({
      options: this.#options,
      journal,
      stop: this.#stop.signal,
      hardStop: this.#hardStop.signal,
      onWaiting: (reason, message, ms) => this.#tell({ type: 'waiting', reason, message, ms }),
      onAccepted: (work, job) => {
        planner.sent(work);
        this.#ledger.accepted();
        work.job = job;
        for (const member of work.members) this.#accepted(member, job);
      },
      onAgain: (work, message) =>
        this.#tell({ type: 'again', source: work.members[0]?.source.label ?? '', message }),
      onDone: async (work, made) => await this.#workDone(work, made),
      onFailed: async (work, problem, job) => await this.#workFailed(work, problem, job),
      onFatal: (error) => this.#fail(error),
      onChange: () => this.#changed.ring(),
    });
  }

  #accepted({ index, source }: Member, job: Job): void {
    this.#tell({ type: 'accepted', index, source: source.label, job });
    if (this.#options.follow === false) this.#ledger.handedOver();
    this.#changed.ring();
  }

  async #untilSettled(): Promise<void> {
    while (this.#service && !this.#service.isSettled) await this.#changed.wait(undefined, this.#stop.signal);
  }

  async #workDone(work: Work, made: Made): Promise<void> {
    this.#files.planner.settled(work);
    for (const [position, member] of work.members.entries()) {
      this.#ledger.result(member, work);
      const origin = position === 0 ? 'made' : 'duplicate';
      await this.#finish(madeResult(member, made, origin));
    }
  }

  async #workFailed(work: Work, problem: SourceProblem, job: string | undefined): Promise<void> {
    this.#files.planner.settled(work);
    for (const member of work.members) await this.#finish(failedResult(member, problem, job));
  }

  /** Delivers a result and counts it. */
  async #finish(result: BatchResult): Promise<void> {
    const delivered = await this.#deliver(result);
    this.#ledger.finished(delivered);
    this.#tell({ type: 'result', result: delivered });
    this.#changed.ring();
  }

  async #deliver(result: BatchResult): Promise<BatchResult> {
    try {
      await this.#options.deliver?.(result);
      return result;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const { index, source, stem, content } = result;
      const problem = { code: error.code, message: error.message };
      return { index, source, stem, content, warnings: [], error: problem };
    }
  }

  #tell(event: BatchEvent): void {
    this.#options.onEvent?.(event);
  }

  #listenForInterruption(): () => void {
    const { signal, clock = systemClock } = this.#options;
    const interrupt = () => {
      this.#isInterrupted = true;
      this.#halt();
      const hard = () => this.#hardStop.abort(signal?.reason);
      void clock.sleep(LAST_ANSWERS, this.#hardStop.signal).then(hard, () => {}); // aborted: nothing is out any more
    };
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    return () => {
      signal?.removeEventListener('abort', interrupt);
    };
  }

  #fail(error: unknown): void {
    if (this.#isInterrupted) return;
    this.#fatal ??= { error: error instanceof ServiceLostError ? error.cause : error };
    this.#halt();
  }

  #halt(): void {
    this.#stop.abort(this.#options.signal?.reason);
    this.#changed.ring();
  }
}
