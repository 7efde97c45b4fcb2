import { classifyFailure } from '../client/failure.ts';
import type { JobState } from '../client/types.ts';
import type { Session } from './session.ts';
import { isRefusedForNow, isUnreachable, mayReadAgain, refusedPause } from './trouble.ts';

type ReadingSession = Pick<Session, 'client' | 'clock' | 'trouble' | 'call'>;

/** Reads from the service, repeated after temporary failures. */
export class Reads {
  readonly #session: ReadingSession;
  readonly #signal: AbortSignal;

  /** `signal` ends the repetitions. */
  constructor(session: ReadingSession, signal: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /** A job's state; undefined if the service does not know the job. */
  async job(id: string): Promise<JobState | undefined> {
    const { client } = this.#session;
    return await this.ifPresent(() => client.job(id, this.#session.call(this.#signal)));
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
    let tries = 0;
    for (;;) {
      try {
        const answer = await request();
        trouble.passed();
        return answer;
      } catch (error) {
        // While nobody gets an answer, the patience with the whole service decides.
        if (!trouble.isOn || !isUnreachable(error)) tries++;
        if (this.#signal.aborted || !mayReadAgain(error, tries)) throw error;
        if (isRefusedForNow(error)) await clock.sleep(refusedPause(error), this.#signal);
        else await trouble.pause(error, this.#signal);
      }
    }
  }
}
