import type { Clock } from '../base/clock.ts';
import { classifyFailure, UnreadableAnswerError } from '../client/errors.ts';
import { isTransient, Outage, ServiceLostError } from './outage.ts';
import { ReadGate } from './read-gate.ts';
import { LAG_PAUSES, LONG_PAUSE } from './retrying-reader.ts';

export interface TextureReaderOptions {
  /** One attempt to get a texture. @throws SkinsmithError */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that a texture's host may be in trouble; default: a quarter of an hour. */
  readonly patience?: number | undefined;
  /** Textures cannot be read at the moment, with the reason; `ms`: until the next attempt. */
  readonly onWaiting?: ((message: string, ms: number) => void) | undefined;
}

/** Milliseconds that a texture's host may be in trouble before a skin is left unproven. */
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
