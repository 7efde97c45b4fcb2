import type { AccountsOptions } from '../generators/accounts/open.ts';
import type { Generator, GeneratorKind, OpenGenerator } from '../generators/port.ts';
import { type SigningOptions, signingGenerator } from '../generators/signing/signing-generator.ts';
import type { UpstreamOptions } from '../generators/upstream/open.ts';

/** Everything that generators are opened with; each takes what it needs. */
interface GeneratorContext extends SigningOptions, AccountsOptions, UpstreamOptions {}

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
