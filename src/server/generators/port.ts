import { type ErrorCode, TEMPORARY_ERRORS } from '../../protocol/errors.ts';
import type { HealthFinding } from '../../protocol/service.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { ClaimBounds, GeneratedData, Maker } from '../queue/port.ts';

/** The kinds of generators, by who signs. */
export type GeneratorKind = 'signing' | 'accounts' | 'upstream';

/** A picture to turn into skin data. */
export interface Texture {
  readonly owner: string;
  /** The identity of the data: there are never two simultaneous generations with the same one. */
  readonly identity: string;
  /** Pixel hash. */
  readonly hash: string;
  readonly variant: 'classic' | 'slim';
  /** Pixel hash of the cape that goes with the skin. */
  readonly capeHash: string | null;
  readonly visibility: SkinVisibility;
}

/** `maker`: what made the data, if that was not this process. */
export type SignedSkin = Omit<GeneratedData, keyof Maker> & { readonly maker?: Maker };

/** What clients need in order to trust the skins. */
export interface Trust {
  /** SPKI in PEM; undefined if the signer does not publish its key. */
  readonly publicPem: string | undefined;
  /** Hosts that serve the textures. */
  readonly skinDomains: readonly string[];
}

/** Makes skin data from pictures. */
export interface Generator {
  /**
   * Identifies the signer and its address: the same picture has different data from another signer. `pixels`: the
   * picture's hash.
   */
  signer(pixels: string): Promise<string>;
  /** @throws GenerationError, GenerationPostponed */
  generate(texture: Texture, signal: AbortSignal): Promise<SignedSkin>;
  /** Called once the data is stored, to drop whatever was kept to resume the generation. */
  settled?(identity: string): Promise<void>;
  /** Limits that keep workers from taking more jobs than the generator can do; absent: no limits. */
  bounds?(): ClaimBounds | Promise<ClaimBounds>;
  /** Milliseconds for which no new job should start; 0 or absent: no pause. */
  pause?(): number | Promise<number>;
  /**
   * When it can start an owner's job behind those of the owners `ahead`, or behind that many jobs, in milliseconds
   * since the epoch; absent: whenever a worker is free.
   */
  startsAt?(owner: string, ahead: readonly string[] | number): Promise<number>;
  /** Whether the generator is usable, as far as is known; absent: always. */
  isReady?(): boolean | Promise<boolean>;
  /** The signer of its skins, as far as is known, if another service signs; absent: the service itself. */
  trust?(): Promise<Trust>;
  /** Current findings for the operator; absent: none. */
  health?(signal: AbortSignal): Promise<readonly HealthFinding[]>;
  /** Why it cannot make skins with capes; absent: it can. */
  readonly refusesCapes?: string;
}

export interface OpenGenerator {
  readonly generator: Generator;
  /** Maximum number of simultaneous jobs; undefined: as many as the machine can handle. */
  readonly workers?: number;
  close?(): Promise<void>;
}

/** The job is fine but cannot be done now. It waits, and the attempt does not count. */
export class GenerationPostponed extends Error {
  override readonly name = 'GenerationPostponed';
  /** Earliest time of the next attempt, in milliseconds since the epoch. */
  readonly until: number;

  constructor(until: number, options?: ErrorOptions) {
    super('The generation is postponed.', options);
    this.until = until;
  }
}

/** A failed generation; its code is shown to the reader of the job. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
  readonly code: ErrorCode;
  /** Whether another attempt may succeed. */
  readonly isPassing: boolean;

  /** `isFinal`: the caller may request it again later, but an immediate retry is useless. */
  constructor(
    code: ErrorCode,
    message: string,
    { isFinal = false, ...options }: ErrorOptions & { readonly isFinal?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isPassing = !isFinal && TEMPORARY_ERRORS.has(code);
  }
}

/** Turns any error into an error of the generation: an unexpected one is the service's own fault. */
export function asGenerationError(error: unknown): GenerationError {
  if (error instanceof GenerationError) return error;
  return new GenerationError('internal_error', 'The service failed because of an internal error.', {
    cause: error,
  });
}
