import { SkinsmithError } from '../client/errors.ts';
import type { JobAnswer } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { RetryingReader } from './retrying-reader.ts';
import { jobDuration, pollableAt, type Submission } from './running-job.ts';
import type { Session } from './session.ts';
import type { OpenJob } from './slots.ts';

/** How the end of a job was noticed. `state`: the complete job, if an event carried it. */
export interface JobEnd {
  readonly seen: Job;
  readonly state?: JobAnswer;
  /** When it had certainly ended. */
  readonly at: number;
  /** The answer to the submission already showed the end, which says nothing about other jobs. Default: false. */
  readonly isAtOnce?: boolean;
}

/** Receives ended jobs. */
export interface JobResults<W extends Submission> {
  /** Runs a step; a permanently failing request fails only this work. */
  attempt(work: W, job: string | undefined, step: () => Promise<void>): Promise<void>;
  /** The work's job has ended. */
  settle(work: W, state: JobAnswer): Promise<void>;
  /**
   * The service no longer knows the job. `job`: undefined if the service has given its id to another; `result`: UUID of
   * its skin, if a list showed it.
   */
  settleForgotten(work: W, job: string | undefined, result: string | undefined): Promise<void>;
}

export interface JobEndsPorts<W extends Submission> {
  readonly session: Session<W>;
  readonly reader: Pick<RetryingReader, 'job' | 'lagged'>;
  readonly results: JobResults<W>;
  /** Whether results are wanted; otherwise only the slots matter. */
  readonly follows: boolean;
  /** A slot became free. */
  readonly onRoom: (end: JobEnd) => void;
  /** There is new information about when jobs end: one was polled too early, or showed how long jobs take. */
  readonly onHint: () => void;
}

/** The job has ended, but the service does not give its result. */
export class MissingResultError extends SkinsmithError {
  override readonly name = 'MissingResultError';
  readonly code = 'missing_result';
  readonly isPassing = true;
  readonly hint =
    'Run the command again without --force: it asks for the result again. --resubmit-lost submits it anew.';

  constructor(message = 'The service says that the job has ended, but does not return its result.') {
    super(message);
  }
}

/** Waits of up to this many milliseconds are not reported. */
const SHORT_WAIT = 3_000;
const MISSING = 'The service cannot find a job that it accepted: waiting for it to appear.';
const AWAY =
  'The service knows none of its jobs any more. Its data may be back soon, so nothing is submitted meanwhile.';

/** Handles the end of our jobs, and jobs that cannot be found. */
export class JobEnds<W extends Submission> {
  readonly #ports: JobEndsPorts<W>;
  /** The answers to the polls under way, by job. Undefined: the service does not know it, or its end is handled. */
  readonly #polls = new Map<string, Promise<JobAnswer | undefined>>();
  #isInDoubt = false;

  constructor(ports: JobEndsPorts<W>) {
    this.#ports = ports;
  }

  /** A job has ended: frees its slot in this very tick and fetches the result in the background. */
  ended(job: OpenJob<W>, end: JobEnd): void {
    const { seen, at, isAtOnce = false } = end;
    const { session, results, follows, onRoom } = this.#ports;
    if (!session.slots.jobs.has(job.id)) return;
    const polled = this.#polls.get(job.id);
    session.lag.found(job);
    session.slots.freed(job.id);
    onRoom(end);
    if (!follows) return;
    session.track(
      results.attempt(job.work, job.id, async () => {
        const known = await this.#readEnd(job.id, end, polled);
        if (!known) return await results.settleForgotten(job.work, job.id, seen.result);
        if (!isAtOnce) this.#learnDuration(job, known, at);
        await results.settle(job.work, known);
      }),
    );
  }

  /**
   * The complete job. On a service of several parts, answers about one job may lag behind the list, and its skin
   * behind its status. `polled`: the answer to a poll under way, which may have it already. Undefined: the service has
   * forgotten it.
   * @throws MissingResultError when it stays incomplete: to make it again might cost it again
   */
  async #readEnd(
    id: string,
    { seen, state }: JobEnd,
    polled: Promise<JobAnswer | undefined> | undefined,
  ): Promise<JobAnswer | undefined> {
    const { reader } = this.#ports;
    const told = state?.skin || state?.job.status === 'failed' ? state : polled && (await polled);
    let known = withResult(told, seen.result);
    for (let tries = 0; !isWhole(known); tries++) {
      if (tries > 0 && !(await reader.lagged(tries - 1))) break;
      known = withResult(this.#found(id, await reader.job(id)), seen.result);
      if (known === undefined && seen.result !== undefined) return undefined;
    }
    if (known && isWhole(known)) return known;
    if (known === undefined && seen.status === 'failed') return undefined;
    throw new MissingResultError();
  }

  /** The service has given the id of a job to a newer one, so that it cannot be asked about the job any more. */
  replaced({ id, work }: OpenJob<W>): void {
    const { session, results, follows } = this.#ports;
    session.lag.forget(id);
    session.slots.freed(id);
    const settle = async () => await results.settleForgotten(work, undefined, undefined);
    if (follows) session.track(results.attempt(work, id, settle));
  }

  /** A list lacks all that the service knew: says so, and asks for one job that had ended, which may not be listed any more. */
  doubt(id: string | undefined): void {
    const { session, reader } = this.#ports;
    session.tellWait(AWAY, undefined);
    if (id === undefined || this.#isInDoubt) return;
    this.#isInDoubt = true;
    const read = async () => {
      try {
        this.#found(id, await reader.job(id));
      } catch (error) {
        if (!(error instanceof SkinsmithError)) throw error; // it proves nothing
      } finally {
        this.#isInDoubt = false;
      }
    };
    session.track(read());
  }

  #found(id: string, state: JobAnswer | undefined): JobAnswer | undefined {
    const { session, onHint } = this.#ports;
    if (state && session.memory.found(id, session.now())) onHint();
    return state;
  }

  /** Polls this one job: it is due, or the list does not contain it (no longer, or not yet). */
  poll(job: OpenJob<W>): void {
    const { session, results, follows, onHint } = this.#ports;
    const polledAt = session.now();
    if (job.absent && polledAt < pollableAt(job)) return;
    // Also while an answer is outstanding: otherwise the job stays due, and the watcher never gets past it.
    job.polledAt = polledAt;
    if (this.#polls.has(job.id) || session.gates.job.isShut || this.#isPointless(job)) return;
    const check = async () => {
      const poll = this.#fetch(job.id);
      this.#polls.set(job.id, poll);
      const state = await poll;
      if (state && isPending(state.job.status)) {
        job.seenAt = Math.max(polledAt, job.seenAt ?? polledAt);
        session.lag.found(job);
        return onHint();
      }
      if (state) this.ended(job, { seen: state.job, state, at: session.now() });
      else if (session.slots.jobs.has(job.id)) {
        if (!this.#isForgotten(job, polledAt)) return onHint();
        session.lag.forget(job.id);
        session.slots.freed(job.id);
        if (follows) await results.settleForgotten(job.work, job.id, undefined);
      }
    };
    session.track(results.attempt(job.work, job.id, check));
  }

  /** While the service has no data, one of its jobs stands for all. */
  #isPointless({ absent }: OpenJob<W>): boolean {
    const { isAway, endedJob } = this.#ports.session.memory;
    return isAway && endedJob !== undefined && absent !== undefined;
  }

  /** Whether the service has not known the job for so long that it must have forgotten it. */
  #isForgotten(job: OpenJob<W>, at: number): boolean {
    const { session } = this.#ports;
    const { since = job.seenAt === undefined ? job.acceptedAt : at, times = 0 } = job.absent ?? {};
    job.absent = { since, at, times: times + 1 };
    const { memory, lag, isSkinsmith } = session;
    if (memory.isAway) return false;
    if (memory.hasLost(job.acceptedAt)) return true;
    if (isSkinsmith && memory.listedAt > since) return true; // it has one store
    if (lag.isForgotten({ ...job.absent, since: Math.max(since, memory.backAt) })) return true;
    if (at - since >= SHORT_WAIT) session.tellWait(MISSING, Math.max(SHORT_WAIT, pollableAt(job) - at));
    return false;
  }

  async #fetch(id: string): Promise<JobAnswer | undefined> {
    const { session, reader } = this.#ports;
    try {
      return this.#found(id, await reader.job(id));
    } catch (error) {
      if (!session.slots.jobs.has(id)) return undefined; // the list has shown its end, which is handled
      session.slots.freed(id); // a job that cannot be polled cannot be awaited
      throw error;
    } finally {
      this.#polls.delete(id);
    }
  }

  #learnDuration(job: OpenJob<W>, state: JobAnswer, at: number): void {
    if (!job.isTimed) return;
    const { duration, isReported } = jobDuration(job, state, at, this.#ports.session.times.least);
    this.#ports.session.times.ended(job, duration, { isReported });
    this.#ports.onHint();
  }
}

/** Whether the result can be had from this. */
function isWhole(state: JobAnswer | undefined): state is JobAnswer {
  if (!state || isPending(state.job.status)) return false;
  return state.job.status === 'failed' || state.skin !== undefined || state.job.result !== undefined;
}

/** A list may know the skin of a job before the job itself does. */
function withResult(state: JobAnswer | undefined, result: string | undefined): JobAnswer | undefined {
  return state?.job.result === undefined && result !== undefined && state
    ? { ...state, job: { ...state.job, result } }
    : state;
}
