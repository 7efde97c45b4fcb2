import { GenerationError, type Generator } from './port.ts';
import { type SigningOptions, signingGenerator } from './signing.ts';

/** Who may sign. */
export type GeneratorKind = 'signing';

export type GeneratorOptions = SigningOptions;

export const GENERATORS = {
  signing: signingGenerator,
} satisfies Record<GeneratorKind, (options: GeneratorOptions) => Generator>;

/** The same generator, at its fastest one skin per `ms` and worker: to rehearse against a slow service. */
export function paced(generator: Generator, ms: number, clock: GeneratorOptions['clock']): Generator {
  if (ms === 0) return generator;
  return {
    signer: () => generator.signer(),
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
