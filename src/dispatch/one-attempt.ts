import type { CallOptions } from '../client/types.ts';

/** The dispatcher repeats requests by its own rules, which consider all of them and know each lost answer. */
export const ONE_ATTEMPT = { retry: { budget: 0, patience: 0 } } as const satisfies CallOptions;
