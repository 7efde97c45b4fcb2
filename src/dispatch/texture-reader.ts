import { AWAKE, type Clock } from '../base/clock.ts';
import { UnreadableAnswerError } from '../client/errors.ts';
import { classifyFailure } from '../client/failure.ts';

export interface TextureReaderOptions {
  /** One attempt to get a texture. @throws SkinsmithError */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that a texture's host may be in trouble; default: a minute. */
  readonly patience?: number | undefined;
  /** Textures cannot be read for now, with the reason; `ms`: until the next try. */
  readonly onWaiting?: ((message: string, ms: number) => void) | undefined;
}

/** Milliseconds that a texture's host may be in trouble before a skin is left unproven. */
const DEFAULT_PATIENCE = 60_000;
/** Milliseconds that a request may take before it is reported. */
const QUIET_WAIT = 3_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** Requests for a texture that is absent or no picture: it may not be everywhere yet, or a proxy may answer. */
const MOST_LOOKS = 4;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Reads the textures that results are checked by, with retries of its own: their hosts fail independently of the
 * service.
 */
export class TextureReader {
  readonly #options: TextureReaderOptions;

  constructor(options: TextureReaderOptions) {
    this.#options = options;
  }

  /** @throws the last error when another try is pointless; the signal's reason when aborted */
  async read(url: string, signal: AbortSignal): Promise<Uint8Array> {
    const { clock, onWaiting, patience = DEFAULT_PATIENCE } = this.#options;
    const since = clock.monotonic();
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(url, tries, signal);
      } catch (error) {
        const pause = this.#pause(error, tries);
        if (signal.aborted || !mayPass(error, tries)) throw error;
        if (clock.monotonic() + pause - since > patience) throw error;
        onWaiting?.(`A texture cannot be read: ${(error as Error).message}`, pause);
        await clock.sleep(pause, signal);
      }
    }
  }

  /** The answer to the last try is returned whatever it is: the proof says what is wrong with it. */
  async #once(url: string, tries: number, signal: AbortSignal): Promise<Uint8Array> {
    const { fetch, clock, onWaiting } = this.#options;
    const answered = new AbortController();
    const host = URL.parse(url)?.host ?? url;
    const tell = () => onWaiting?.(`${host}, which has the textures, does not answer.`, QUIET_WAIT);
    void clock.sleep(QUIET_WAIT, answered.signal).then(tell, () => {}); // aborted: it did answer
    try {
      const bytes = await fetch(url, signal);
      if (tries < MOST_LOOKS && !isPng(bytes))
        throw new UnreadableAnswerError(`${host} answered without a picture.`, { status: 200 });
      return bytes;
    } finally {
      answered.abort(AWAKE);
    }
  }

  #pause(error: unknown, tries: number): number {
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1));
    const told = classifyFailure(error)?.retryAfter ?? 0;
    return Math.max(told, backOff * (0.5 + this.#options.random() / 2));
  }
}

function mayPass(error: unknown, tries: number): boolean {
  const failure = classifyFailure(error);
  if (!failure) return false;
  const { kind, status = 0, isTemporary } = failure;
  const isAbsent = status === 404 || status === 403 || (kind === 'unreadable' && status < 300);
  return isAbsent ? tries < MOST_LOOKS : isTemporary;
}

function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
