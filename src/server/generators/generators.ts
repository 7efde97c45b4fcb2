import type { Accounts } from '../accounts/accounts.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import type { Db } from '../store/store.ts';
import { GenerationError, type Generator } from './port.ts';
import { type SigningOptions, signingGenerator } from './signing.ts';
import type { UpstreamSettings } from './upstream/settings.ts';

/** Who may sign. */
export type GeneratorKind = 'signing' | 'accounts' | 'upstream';

/** What generators are opened with; each takes what it needs. */
export interface GeneratorContext extends SigningOptions {
  readonly db: Db;
  readonly accounts: Accounts;
  /** The guarded way out, for textures that another service names. */
  readonly pictures: GuardedAgent;
  /** Tells workers that what held them back is over. */
  readonly wake: () => void;
  /** Tells the operator. */
  readonly warn: (message: string) => void;
  /** Hears of bugs. */
  readonly onError: (error: unknown) => void;
  readonly upstream: UpstreamSettings | undefined;
}

export interface OpenGenerator {
  readonly generator: Generator;
  /** Jobs that it can do at the same time; undefined: as many as the machine can. */
  readonly workers?: number;
  close?(): Promise<void>;
}

/** How each kind is opened. What `serve` alone uses is loaded when it is used. */
export const GENERATORS = {
  signing: async (context) => ({ generator: signingGenerator(context) }),
  accounts: async (context) => await (await import('./accounts/open.ts')).openAccountsGenerator(context),
  upstream: async (context) => await (await import('./upstream/open.ts')).openUpstream(context),
} satisfies Record<GeneratorKind, (context: GeneratorContext) => Promise<OpenGenerator>>;

/** The same generator, at its fastest one skin per `ms` and worker: to rehearse against a slow service. */
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

/** What went wrong, as an error of the generation: anything unforeseen is the service's own fault. */
export function asGenerationError(error: unknown): GenerationError {
  if (error instanceof GenerationError) return error;
  return new GenerationError('internal_error', 'Something went wrong inside the service.', { cause: error });
}
