import { AWAKE, type Clock } from '../base/clock.ts';
import { SkinsmithError, UnreadableAnswerError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';

export interface TextureReaderTools {
  readonly client: SkinClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Textures are not to be had for now, and why; `ms`: until the next try. */
  readonly onWaiting: (message: string, ms: number) => void;
}

/** Milliseconds that a texture's host may be in trouble before a skin is left unproven. */
const PATIENCE = 60_000;
/** Milliseconds that a request may take before it is told of. */
const UNTOLD = 3_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** Requests for a texture that is absent or no picture: it may not be everywhere yet, or a proxy may answer. */
const MOST_LOOKS = 4;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** The engine repeats by its own rules, and says so. */
const NO_RETRY = { budget: 0, patience: 0 };

/** Reads the textures by which results are proved. Hosts of textures have troubles of their own. */
export class TextureReader {
  readonly #tools: TextureReaderTools;

  constructor(tools: TextureReaderTools) {
    this.#tools = tools;
  }

  /** @throws what the last try ended in, when its trouble does not pass */
  async read(url: string): Promise<Uint8Array> {
    const { clock, signal } = this.#tools;
    const since = clock.monotonic();
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(url, tries);
      } catch (error) {
        const pause = this.#pause(error, tries);
        if (signal.aborted || !mayPass(error, tries)) throw error;
        if (clock.monotonic() + pause - since > PATIENCE) throw error;
        this.#tools.onWaiting(`A texture cannot be read: ${(error as Error).message}`, pause);
        await clock.sleep(pause, signal);
      }
    }
  }

  /** The last look's answer is returned whatever it is: the proof says what is wrong with it. */
  async #once(url: string, tries: number): Promise<Uint8Array> {
    const { client, clock, signal, onWaiting } = this.#tools;
    const answered = new AbortController();
    const host = URL.parse(url)?.host ?? url;
    const tell = () => onWaiting(`${host}, which has the textures, does not answer.`, UNTOLD);
    void clock.sleep(UNTOLD, answered.signal).then(tell, () => {}); // aborted: it did answer
    try {
      const bytes = await client.texture(url, { signal, retry: NO_RETRY });
      if (tries < MOST_LOOKS && !isPng(bytes))
        throw new UnreadableAnswerError(`${host} answered without a picture.`, { status: 200 });
      return bytes;
    } finally {
      answered.abort(AWAKE);
    }
  }

  #pause(error: unknown, tries: number): number {
    const backOff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1));
    const told = error instanceof UnreadableAnswerError ? error.retryAfter : undefined;
    return Math.max(told ?? 0, backOff * (0.5 + this.#tools.random() / 2));
  }
}

function mayPass(error: unknown, tries: number): boolean {
  if (!(error instanceof SkinsmithError)) return false;
  const { status } = error as { status?: unknown };
  const isUnreadable = error instanceof UnreadableAnswerError && error.status === 200;
  if (isUnreadable || status === 404 || status === 403) return tries < MOST_LOOKS;
  return error.isPassing;
}

function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
