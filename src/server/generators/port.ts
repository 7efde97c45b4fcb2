import { type ErrorCode, PASSING_FAILURES } from '../../protocol/errors.ts';

/** A picture to be made into skin data. */
export interface Texture {
  /** Pixel hash. */
  readonly hash: string;
  readonly variant: 'classic' | 'slim';
}

export interface SkinData {
  readonly value: string;
  readonly signature: string;
  /** Where the texture is to be fetched from. */
  readonly url: string;
  /** What signed it: a game account's UUID, or the fingerprint of our own key. */
  readonly account: string;
}

/** Makes skin data from pictures. */
export interface Generator {
  /** Names who signs, and for which address: the same picture signed by another is other data. */
  signer(): Promise<string>;
  /** @throws GenerationError */
  generate(texture: Texture, signal: AbortSignal): Promise<SkinData>;
}

/** A generation that failed; its code is what the job's reader sees. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether another attempt may succeed. */
  get isPassing(): boolean {
    return PASSING_FAILURES.has(this.code);
  }
}
