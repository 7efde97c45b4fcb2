import { backOff, type Clock } from '../base/clock.ts';
import { classifyFailure, ServiceError, UnreadableAnswerError } from '../client/errors.ts';
import type { JobAnswer } from '../client/types.ts';
import { isRouteMissing, isTransient, mayRetryRead, Outage, ReadGate, ServiceLostError } from './outage.ts';
import type { ReadKind, Session } from './session.ts';

/** Milliseconds between attempts to read what the service should have by now. */
const LAG_PAUSES: readonly number[] = [200, 400, 800, 1_600, 3_200, 6_400, 12_800];
/** The same while the service has no data, or fails. */
const AWAY_PAUSE = 2_000;
/** Pauses of at least this many milliseconds are reported. */
const LONG_PAUSE = 1_000;
/** Milliseconds between tries of a read that alone fails. */
const ALONE = { first: 200, longest: 10_000 };

type ReadingSession = Pick<
  Session,
  'client' | 'clock' | 'random' | 'gates' | 'call' | 'tellWait' | 'isSkinsmith' | 'memory' | 'outage'
>;

/** Reads from the service, repeated after temporary failures. */
export class RetryingReader {
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
  async job(id: string): Promise<JobAnswer | undefined> {
    const { client } = this.#session;
    const read = async () =>
      await this.repeatedly('job', () => client.job(id, this.#session.call(this.#signal)));
    for (let tries = 0; ; tries++) {
      try {
        return await read();
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'job_not_found') return undefined;
        if (!this.#isAbsent(error) || !(await this.lagged(tries))) throw error;
      }
    }
  }

  /** The same with the skin that a completed job has made. `result`: the skin's UUID by a list, if it has one. */
  async finishedJob(id: string, result: string | undefined): Promise<JobAnswer | undefined> {
    const { client } = this.#session;
    const state = await this.job(id);
    const uuid = state?.job.result ?? result;
    if (state?.job.status !== 'completed' || state.skin || uuid === undefined) return state;
    const skin = await this.repeatedly('skin', () => client.skin(uuid, this.#session.call(this.#signal)));
    return { ...state, skin };
  }

  /**
   * Reads something that the service has just said exists, repeatedly if necessary: not all of its parts know it at
   * once. Undefined: it never appeared.
   */
  async awaited<T>(request: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      const found = await this.ifPresent(request);
      if (found !== undefined || !(await this.lagged(tries))) return found;
    }
  }

  /**
   * Waits for the parts of the service that lag behind others, longer each time, and while its data or all of it is away.
   * @returns whether to try again: not at a skinsmith service, which has only one store
   */
  async lagged(tries: number): Promise<boolean> {
    const { clock, isSkinsmith, memory, outage, tellWait } = this.#session;
    const isAway = memory.isAway || outage.isOn;
    const pause = isAway ? AWAY_PAUSE : isSkinsmith ? undefined : LAG_PAUSES[tries];
    if (pause === undefined) return false;
    if (pause >= LONG_PAUSE) tellWait('The service does not have a finished skin yet.', pause);
    await clock.sleep(pause, this.#signal);
    return true;
  }

  /** While the list fails, a gateway may answer with a page. */
  #isAbsent(error: unknown): boolean {
    const isPage = this.#session.outage.isOn && isRouteMissing(error);
    return isPage || classifyFailure(error)?.kind === 'not_found';
  }

  /** Undefined: the service does not have the skin (404). */
  async ifPresent<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.repeatedly('skin', request);
    } catch (error) {
      if (this.#isAbsent(error)) return undefined;
      throw error;
    }
  }

  /**
   * While all reads of a kind fail, the patience with the service ends them. A read that fails while others are
   * answered is given up after some tries.
   */
  async repeatedly<T>(kind: ReadKind, request: () => Promise<T>): Promise<T> {
    const { clock, random, gates } = this.#session;
    const gate = gates[kind];
    for (let tries = 0; ; ) {
      const { answered } = gate;
      try {
        return await gate.send(request, this.#signal);
      } catch (error) {
        if (this.#signal.aborted) throw error;
        const isAlone = !isTransient(error) || gate.answered > answered;
        if (isAlone) tries++;
        if (!mayRetryRead(error, tries) || this.#isAbsent(error)) throw error;
        if (isAlone) await clock.sleep(backOff(tries, ALONE, random()), this.#signal);
      }
    }
  }
}

interface TextureReaderOptions {
  /** One attempt to get a texture. @throws SkinsmithError */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that a texture's host may be in trouble; default: a quarter of an hour. */
  readonly patience?: number | undefined;
  /** Textures cannot be read at the moment, with the reason; `ms`: until the next attempt. */
  readonly onWaiting?: ((message: string, ms: number) => void) | undefined;
}

/** Milliseconds that a texture's host may be in trouble before a skin is left unverified. */
const DEFAULT_PATIENCE = 15 * 60_000;
const FIRST_PAUSE = 250;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Reads the textures that results are checked by, with retries of its own: their host fails independently of the
 * service. A texture that is absent may come, like a skin; while the host fails, all of them share one back-off.
 */
export class TextureReader {
  readonly #options: TextureReaderOptions;
  readonly #gate: ReadGate;

  constructor(options: TextureReaderOptions) {
    const { clock, random, onWaiting, patience = DEFAULT_PATIENCE } = options;
    const outage = new Outage({
      clock,
      random,
      patience: { firstContact: patience, outage: patience },
      firstPause: FIRST_PAUSE,
      onPause: (message, ms) => onWaiting?.(cannotRead(message), ms),
    });
    this.#options = options;
    this.#gate = new ReadGate({
      clock,
      outage,
      isTransient: (error) => isTransient(error) && !isAbsent(error),
      onSilence: (ms) => onWaiting?.('The host of the textures does not answer yet.', ms),
    });
  }

  /** @throws the last error when another try is pointless; the signal's reason when aborted */
  async read(url: string, signal: AbortSignal): Promise<Uint8Array> {
    for (let looks = 0; ; ) {
      try {
        return await this.#gate.send(async () => await this.#once(url, looks, signal), signal);
      } catch (error) {
        if (error instanceof ServiceLostError) throw error.cause;
        const isMissing = isAbsent(error);
        if (signal.aborted || !(isMissing || isTransient(error))) throw error;
        if (isMissing) await this.#wait(error, looks++, signal);
      }
    }
  }

  /** The answer to the last look is returned whatever it is: the proof says what is wrong with it. */
  async #once(url: string, looks: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.#options.fetch(url, signal);
    if (looks >= LAG_PAUSES.length || isPng(bytes)) return bytes;
    const host = URL.parse(url)?.host ?? url;
    throw new UnreadableAnswerError(`${host} answered without a picture.`, { status: 200 });
  }

  /** Waits for a texture that is not there. @throws the error after the last pause */
  async #wait(error: unknown, looks: number, signal: AbortSignal): Promise<void> {
    const { clock, onWaiting } = this.#options;
    const pause = LAG_PAUSES[looks];
    if (pause === undefined) throw error;
    if (pause >= LONG_PAUSE) onWaiting?.(cannotRead((error as Error).message), pause);
    await clock.sleep(pause, signal);
  }
}

function cannotRead(why: string): string {
  return `A texture cannot be read: ${why}`;
}

/** A texture may not be everywhere yet, or a proxy may answer in its place. Some hosts answer 403 for what they lack. */
function isAbsent(error: unknown): boolean {
  const { kind, status = 0 } = classifyFailure(error) ?? {};
  return status === 404 || status === 403 || (kind === 'unreadable' && status < 300);
}

function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
