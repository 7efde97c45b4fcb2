import { ServiceError } from '../client/errors.ts';
import { classifyFailure } from '../client/failure.ts';
import type { JobState } from '../client/types.ts';
import type { Session } from './session.ts';
import { isOutage, isRefusedForNow, isTrouble, MOST_READS, mayReadAgain } from './trouble.ts';

/** Milliseconds between tries to read what the service should have by now. */
const LAG_PAUSES = [200, 400, 800, 1_600, 3_200, 6_400, 12_800];

type ReadingSession = Pick<Session, 'client' | 'clock' | 'trouble' | 'call' | 'readRefused' | 'isSkinsmith'>;

/** Reads from the service, repeated after temporary failures. */
export class Reads {
  readonly #session: ReadingSession;
  readonly #signal: AbortSignal;

  /** `signal` ends the repetitions. */
  constructor(session: ReadingSession, signal: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /**
   * A job's state; undefined if the service does not know the job. Other reasons for a 404 pass, such as a skin that
   * cannot be read yet, or are a proxy's.
   */
  async job(id: string): Promise<JobState | undefined> {
    const { client } = this.#session;
    const read = async () => await this.repeatedly(() => client.job(id, this.#session.call(this.#signal)));
    for (let tries = 0; ; tries++) {
      try {
        return await read();
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'job_not_found') return undefined;
        if (classifyFailure(error)?.kind !== 'not_found' || !(await this.lagged(tries))) throw error;
      }
    }
  }

  /** What the service has just said is there: not all of its parts learn of it at once. Undefined: it never came. */
  async awaited<T>(request: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      const found = await this.ifPresent(request);
      if (found !== undefined || !(await this.lagged(tries))) return found;
    }
  }

  /**
   * Waits for parts of the service that lag behind others, for longer each time; a skinsmith has one store, and none that
   * do. @returns whether it is worth another try
   */
  async lagged(tries: number): Promise<boolean> {
    const pause = LAG_PAUSES[tries];
    if (pause === undefined || this.#session.isSkinsmith) return false;
    await this.#session.clock.sleep(pause, this.#signal);
    return true;
  }

  /** Undefined: the service does not have it (404). */
  async ifPresent<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.repeatedly(request);
    } catch (error) {
      if (classifyFailure(error)?.kind === 'not_found') return undefined;
      throw error;
    }
  }

  async repeatedly<T>(request: () => Promise<T>): Promise<T> {
    const { clock, trouble } = this.#session;
    let tries = 0; // while others are answered
    let failures = 0;
    for (;;) {
      try {
        const answer = await request();
        trouble.passed();
        return answer;
      } catch (error) {
        // While nobody gets an answer, the patience with the whole service decides; a rate limit is waited for.
        if (!isRefusedForNow(error) && (!trouble.isOn || !isOutage(error))) tries++;
        if (++failures % MOST_READS === 0 && (await this.#answersOthers())) throw error;
        if (this.#signal.aborted || !mayReadAgain(error, tries)) throw error;
        if (isRefusedForNow(error)) await clock.sleep(this.#session.readRefused(error), this.#signal);
        else await trouble.pause(error, this.#signal);
      }
    }
  }

  /** Whether the service answers something else, so that only this read is in trouble. */
  async #answersOthers(): Promise<boolean> {
    const { client } = this.#session;
    try {
      await client.queueList(this.#session.call(this.#signal));
      return true;
    } catch (error) {
      return !isTrouble(error);
    }
  }
}
