import { ServiceError, type UnreadableAnswerError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions, JobState, SkinSource } from '../../client/types.ts';
import type { Clock } from '../../clock.ts';
import type { RateLimit } from '../../protocol/envelope.ts';
import type { Job } from '../../protocol/job.ts';
import type { Journal } from '../journal/journal.ts';
import { skinNameFrom } from '../sources/skin-name.ts';
import { USUAL_SLOTS } from './first-contact.ts';
import { LookTimes } from './look-times.ts';
import { Pace, type Told } from './pace.ts';
import { Spots } from './spots.ts';
import { Trouble, type TroubleOptions } from './trouble.ts';
import type { Member, Work } from './work.ts';

export interface DeskOptions extends Omit<TroubleOptions, 'onPause'> {
  readonly client: SkinClient;
  readonly journal: Journal;
  /** Milliseconds between looks at the job list at the most. */
  readonly longestPoll: number;
  /** A limit or trouble makes the batch wait. */
  readonly onWaiting: (reason: 'limit' | 'trouble', message: string, ms: number) => void;
  /** Something went wrong that ends the batch. */
  readonly onFatal: (error: unknown) => void;
  /** A task beside the others has ended. */
  readonly onTaskEnd: () => void;
}

/** The engine repeats by its own rules, with all its requests in view. */
const NO_RETRY = { budget: 0, patience: 0 };

/** What the parts of a running batch share: the service, and what has been learned of it. */
export class Desk {
  readonly client: SkinClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly journal: Journal;
  readonly pace: Pace;
  readonly spots: Spots;
  readonly trouble: Trouble;
  readonly times: LookTimes;
  /** The service recognises a repeated submission by its `Idempotency-Key` and tells of jobs as they end. */
  isSkinsmith = false;
  /** Newest job seen there, on the service's clock, milliseconds since the epoch. */
  newestJobTime = 0;
  /** Milliseconds that a short request takes. */
  roundTrip = 0;
  readonly #options: DeskOptions;
  readonly #tasks = new Set<Promise<void>>();
  readonly #loops: Promise<void>[] = [];

  constructor(options: DeskOptions) {
    this.#options = options;
    this.client = options.client;
    this.clock = options.clock;
    this.random = options.random;
    this.journal = options.journal;
    this.pace = new Pace(options.random);
    this.spots = new Spots(USUAL_SLOTS);
    this.times = new LookTimes(options.longestPoll);
    const onPause = (message: string, ms: number) => options.onWaiting('trouble', message, ms);
    this.trouble = new Trouble({ ...options, onPause });
  }

  /** Milliseconds on a clock that does not jump. */
  now(): number {
    return this.clock.monotonic();
  }

  call(signal: AbortSignal): CallOptions {
    return { signal, retry: NO_RETRY };
  }

  async post(work: Work, source: SkinSource, signal: AbortSignal): Promise<JobState> {
    const [first] = work.members;
    const options = {
      name: first && nameOf(first),
      variant: work.variant === 'auto' ? undefined : work.variant,
      visibility: work.visibility,
      cape: work.cape,
    };
    const idempotencyKey = this.journal.idempotencyKey(work.key, work.attempt);
    const state = await this.client.queue(source, options, { ...this.call(signal), idempotencyKey });
    this.trouble.passed();
    this.pace.accepted(state, this.#moment());
    if (state.links['events'] !== undefined) this.isSkinsmith = true;
    this.sawJobTime(state.job);
    return state;
  }

  /** Told to slow down: all submissions wait. */
  refusedForNow(error: ServiceError | UnreadableAnswerError): void {
    const wait = this.pace.refused(toldBy(error), this.#moment());
    this.#options.onWaiting('limit', error.message, wait);
  }

  sawJobTime({ timestamp = 0 }: Pick<Job, 'timestamp'>): void {
    this.newestJobTime = Math.max(this.newestJobTime, timestamp);
  }

  /** How long a short request took, smoothed. */
  tookRoundTrip(ms: number): void {
    this.roundTrip = this.roundTrip === 0 ? ms : 0.7 * this.roundTrip + 0.3 * ms;
  }

  /** A task that runs beside the others; what it throws ends the batch. */
  track(task: Promise<void>): void {
    const tracked = task.catch((error: unknown) => this.#options.onFatal(error));
    this.#tasks.add(tracked);
    void tracked.then(() => {
      this.#tasks.delete(tracked);
      this.#options.onTaskEnd();
    });
  }

  /** A loop that runs until `signal` aborts it. */
  run(loop: Promise<void>, signal: AbortSignal): void {
    const ended = loop.catch((error: unknown) => {
      if (!signal.aborted) this.#options.onFatal(error);
    });
    this.#loops.push(ended);
  }

  /** Whether results are still being fetched or written. */
  get isBusy(): boolean {
    return this.#tasks.size > 0;
  }

  /** Resolves when all tasks and loops have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#loops);
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  #moment() {
    return { monotonic: this.now(), epoch: this.clock.now() };
  }
}

function toldBy(error: ServiceError | UnreadableAnswerError): Told {
  if (!(error instanceof ServiceError)) return { retryAfter: error.retryAfter };
  const { retryAfter, rateLimit }: { retryAfter: number | undefined; rateLimit: RateLimit | undefined } =
    error.answer;
  return { retryAfter, rateLimit };
}

/** What the skin is to be called: as its source says, or after its file. */
export function nameOf({ source }: Member): string | undefined {
  return source.name ?? skinNameFrom(source.stem.split('/').at(-1) ?? '');
}
