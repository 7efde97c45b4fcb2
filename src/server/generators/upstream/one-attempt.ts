import type { CallOptions } from '../../../client/types.ts';

/** Repeating is ours: all workers pause together, and each request that is lost is known. */
export const ONE_ATTEMPT = { retry: { budget: 0, patience: 0 } } as const satisfies CallOptions;
