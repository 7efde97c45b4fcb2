import type { CallOptions } from '../client/types.ts';

/** This service does its own retries: all workers pause together, and each lost request is known. */
export const ONE_ATTEMPT = { retry: { budget: 0, patience: 0 } } as const satisfies CallOptions;
