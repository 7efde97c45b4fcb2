import type { Accounts } from '../accounts/accounts.ts';
import { GenerationError, type Generator } from '../generators/port.ts';
import { type SigningOptions, signingGenerator } from '../generators/signing/signing.ts';
import type { UpstreamSettings } from '../generators/upstream/settings.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import type { ProcessName } from '../queue/lease-owner.ts';
import type { Db } from '../store/store.ts';

/** The kinds of generators, by who signs. */
export type GeneratorKind = 'signing' | 'accounts' | 'upstream';

/** Everything that generators are opened with; each takes what it needs. */
export interface GeneratorContext extends SigningOptions {
  readonly db: Db;
  readonly self: ProcessName;
  readonly accounts: Accounts;
  /** The guarded agent, for textures at addresses from another service. */
  readonly pictures: GuardedAgent;
  /** Tells workers that the reason for a pause is gone. */
  readonly wake: () => void;
  /** Warns the operator. */
  readonly warn: (message: string) => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
  readonly upstream: UpstreamSettings | undefined;
}

export interface OpenGenerator {
  readonly generator: Generator;
  /** Maximum number of simultaneous jobs; undefined: as many as the machine can handle. */
  readonly workers?: number;
  close?(): Promise<void>;
}

/** How to open each kind. Code that only `serve` uses is loaded on demand. */
export const GENERATORS = {
  signing: async (context) => ({ generator: signingGenerator(context) }),
  accounts: async (context) =>
    await (await import('../generators/accounts/open.ts')).openAccountsGenerator(context),
  upstream: async (context) => await (await import('../generators/upstream/open.ts')).openUpstream(context),
} satisfies Record<GeneratorKind, (context: GeneratorContext) => Promise<OpenGenerator>>;

/**
 * Whether another service does the work. Its idle capacity is lost, while that of this machine is merely saved, so by
 * default a plan may use all of it (`burst`).
 */
export const MADE_ELSEWHERE = {
  signing: false,
  accounts: true,
  upstream: true,
} as const satisfies Record<GeneratorKind, boolean>;

/** The same generator, slowed down to one skin per `ms` and worker: for rehearsing against a slow service. */
export function paced(generator: Generator, ms: number, clock: SigningOptions['clock']): Generator {
  if (ms === 0) return generator;
  return {
    ...generator,
    generate: async (texture, signal) => {
      const [data] = await Promise.all([generator.generate(texture, signal), clock.sleep(ms, signal)]);
      return data;
    },
  };
}

/** Turns any error into an error of the generation: an unexpected one is the service's own fault. */
export function asGenerationError(error: unknown): GenerationError {
  if (error instanceof GenerationError) return error;
  return new GenerationError('internal_error', 'Something went wrong inside the service.', { cause: error });
}
