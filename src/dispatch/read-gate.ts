import { AWAKE, type Clock } from '../base/clock.ts';
import { isTransient, type Outage } from './outage.ts';

/** Reads of one kind that may be under way at once. */
const MAX_UNDER_WAY = 8;
/** Milliseconds without an answer that are reported, again and again. */
const QUIET_WAIT = 3_000;

interface ReadGateOptions {
  readonly clock: Clock;
  readonly outage: Outage;
  /** Whether an error is trouble with all reads of this kind; absent: whether the same request may succeed later. */
  readonly isTransient?: (error: unknown) => boolean;
  /** A request has had no answer for this many more milliseconds. */
  readonly onSilence: (ms: number) => void;
}

/**
 * Lets reads of one kind through: a few at a time, and while they fail only one, ever more rarely. The others wait for
 * its answer.
 */
export class ReadGate {
  readonly outage: Outage;
  /** Reads that were answered so far. */
  answered = 0;
  readonly #options: ReadGateOptions;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #wakeUp: AbortController | undefined;

  constructor(options: ReadGateOptions) {
    this.#options = options;
    this.outage = options.outage;
  }

  /** Whether a read would have to wait for others that fail. */
  get isShut(): boolean {
    return this.outage.isOn && (this.#waiting.length > 0 || !this.#hasRoom);
  }

  /** Sends a read when it is its turn. @throws what it throws; ServiceLostError; the signal's reason */
  async send<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      const answer = await reportSilence(read, this.#options);
      this.#passed();
      return answer;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      throw error;
    } finally {
      this.#underWay--;
      this.#admit();
    }
  }

  #passed(): void {
    this.answered++;
    this.outage.passed();
  }

  /** A definite refusal is an answer. @throws ServiceLostError */
  #failed(error: unknown): void {
    if ((this.#options.isTransient ?? isTransient)(error)) this.outage.failed(error);
    else this.#passed();
  }

  get #hasRoom(): boolean {
    const { isOn, openAt } = this.outage;
    if (!isOn) return this.#underWay < MAX_UNDER_WAY;
    return this.#underWay === 0 && openAt <= this.#options.clock.monotonic();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    const leave = () => {
      const place = this.#waiting.indexOf(turn.resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
      if (this.#waiting.length === 0) this.#wakeUp?.abort(AWAKE);
      turn.reject(signal.reason);
    };
    this.#waiting.push(turn.resolve);
    signal.addEventListener('abort', leave, { once: true });
    this.#admit();
    await turn.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Lets through as many as may be under way. */
  #admit(): void {
    while (this.#waiting.length > 0 && this.#hasRoom) {
      this.#underWay++;
      this.#waiting.shift()?.();
    }
    if (this.#waiting.length > 0 && this.#underWay === 0) this.#admitLater();
  }

  #admitLater(): void {
    const { clock } = this.#options;
    this.#wakeUp?.abort(AWAKE);
    const wakeUp = new AbortController();
    this.#wakeUp = wakeUp;
    const wait = this.outage.openAt - clock.monotonic();
    clock.sleep(wait, wakeUp.signal).then(
      () => this.#admit(),
      () => {}, // another wait has taken its place
    );
  }
}

/** Sends a request, and reports every few seconds that it is not answered yet. */
export async function reportSilence<T>(
  request: () => Promise<T>,
  { clock, onSilence }: Pick<ReadGateOptions, 'clock' | 'onSilence'>,
): Promise<T> {
  const answered = new AbortController();
  const report = async () => {
    for (;;) {
      await clock.sleep(QUIET_WAIT, answered.signal);
      onSilence(QUIET_WAIT);
    }
  };
  report().catch(() => {}); // it was answered
  try {
    return await request();
  } finally {
    answered.abort(AWAKE);
  }
}
