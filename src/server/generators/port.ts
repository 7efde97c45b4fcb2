import type { HealthFinding } from '../../protocol/diagnosis.ts';
import { type ErrorCode, PASSING_FAILURES } from '../../protocol/errors.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { ClaimBounds } from '../queue/port.ts';

/** A picture to be made into skin data. */
export interface Texture {
  /** What the data will be known by: two generations of one are never under way at the same time. */
  readonly identity: string;
  /** Pixel hash. */
  readonly hash: string;
  readonly variant: 'classic' | 'slim';
  /** Pixel hash of the cape that goes with it. */
  readonly capeHash: string | null;
  /** Of the skin that asked for it. */
  readonly visibility: SkinVisibility;
}

export interface SkinData {
  readonly value: string;
  readonly signature: string;
  /** Where the texture is to be fetched from. */
  readonly url: string;
  /** The cape's, where there is one. */
  readonly capeUrl?: string | undefined;
  /** What signed it: a game account's UUID, or the fingerprint of our own key. */
  readonly account: string;
  /** Who made it and in how many milliseconds, where that was not this process. */
  readonly maker?: {
    readonly version: string;
    readonly server: string;
    readonly worker: string;
    readonly duration: number;
  };
}

/** What others need to trust skins by. */
export interface Trust {
  /** SPKI in PEM; undefined where the one who signs does not tell it. */
  readonly publicPem: string | undefined;
  /** Hosts that textures are fetched from. */
  readonly skinDomains: readonly string[];
}

/** Makes skin data from pictures. */
export interface Generator {
  /** Names who signs, and for which address: the same picture signed by another is other data. */
  signer(): Promise<string>;
  /** @throws GenerationError, GenerationPostponed */
  generate(texture: Texture, signal: AbortSignal): Promise<SkinData>;
  /** The data is stored: whatever was kept to go on with a generation that is cut off is not needed any more. */
  settled?(identity: string): Promise<void>;
  /** What keeps workers from more jobs than the generator can do; absent: nothing. */
  bounds?(): ClaimBounds;
  /** Milliseconds for which nothing new should be begun; 0 or absent: it may. */
  pause?(): number | Promise<number>;
  /**
   * When it can begin with what comes after `ahead` others, in milliseconds since the epoch; absent: whenever a
   * worker is free.
   */
  startsAt?(ahead: number): Promise<number>;
  /** Whether it can do its work, as far as is known; absent: always. */
  isReady?(): boolean | Promise<boolean>;
  /** Whose signatures its skins have, as far as is known, where another signs; absent: the service itself. */
  trust?(): Promise<Trust>;
  /** What its operator should know of it, looked at now; absent: nothing. */
  health?(signal: AbortSignal): Promise<readonly HealthFinding[]>;
  /** Why it makes no skins with capes; absent: it does. */
  readonly refusesCapes?: string;
}

/** Nothing is wrong with the job, but it cannot be done now: it waits, and the attempt does not count. */
export class GenerationPostponed extends Error {
  override readonly name = 'GenerationPostponed';
  /** Milliseconds since the epoch: not before then. */
  readonly until: number;

  constructor(until: number, options?: ErrorOptions) {
    super('The generation is put off.', options);
    this.until = until;
  }
}

/** A generation that failed; its code is what the job's reader sees. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
  readonly code: ErrorCode;
  /** Whether another attempt may succeed. */
  readonly isPassing: boolean;

  /** `isFinal`: whoever asks may ask again later, but there is no use in trying on. */
  constructor(
    code: ErrorCode,
    message: string,
    { isFinal = false, ...options }: ErrorOptions & { readonly isFinal?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isPassing = !isFinal && PASSING_FAILURES.has(code);
  }
}
