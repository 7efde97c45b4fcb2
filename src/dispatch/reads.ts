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
   * A job's state; undefined if the service does not know the job. A 404 for any other reason is tried again: the skin
   * may not be readable yet, or a proxy may have answered.
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

  /**
   * Reads what the service has just said exists, several times if necessary: not all of its parts know of it at once.
   * Undefined: it never appeared.
   */
  async awaited<T>(request: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      const found = await this.ifPresent(request);
      if (found !== undefined || !(await this.lagged(tries))) return found;
    }
  }

  /**
   * Waits for the parts of the service that lag behind others, longer each time.
   * @returns whether to try again: not at a skinsmith service, which has only one store
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
