import { availableParallelism } from 'node:os';
import { keepFreshSignature } from '../../../textures/fresh-signatures.ts';
import type { OpenGenerator } from '../port.ts';
import { type SigningOptions, signingGenerator } from './signing-generator.ts';
import { SigningThreads } from './signing-threads.ts';

export interface SigningContext extends SigningOptions {
  /** Whether the service is part of a command: its jobs come in batches, and its main thread does all the rest. */
  readonly isEmbedded: boolean;
}

/** More are of no use: one signs faster than a main thread can submit. */
const MOST_THREADS = 4;

export function openSigning({ isEmbedded, ...options }: SigningContext): OpenGenerator {
  if (!isEmbedded) return { generator: signingGenerator(options) };
  let threads: SigningThreads | undefined;
  const sign: SigningOptions['sign'] = async (value, key) => {
    threads ??= new SigningThreads(key, { most: mostThreads() });
    const signature = await threads.sign(value);
    keepFreshSignature(value, signature, key);
    return signature;
  };
  return { generator: signingGenerator({ ...options, sign }), close: async () => await threads?.stop() };
}

/** One for each core but that of the main thread. */
function mostThreads(): number {
  return Math.min(Math.max(1, availableParallelism() - 1), MOST_THREADS);
}
