import { z } from 'zod';
import { type RandomFaults, randomFaultsSchema } from './faults.ts';

/** How the game's services behave. Times in milliseconds. */
export interface FakeGameOptions {
  /** Initial accounts; default: none. */
  readonly accounts?: number | undefined;
  /** How long a change of skin takes; default: 0. */
  readonly changeTime?: number | undefined;
  /** Random faults; default: none. */
  readonly randomFaults?: RandomFaults | undefined;
  /** Signing key (RSA, PKCS#8 PEM), made if missing; default: one of 2048 bits for this run. */
  readonly signingKeyPath?: string | undefined;
  /** Seconds between two polls for a device code; default: 1. */
  readonly interval?: number | undefined;
  /** Client IDs that may log in to the game; default: all. */
  readonly approvedClients?: readonly string[] | undefined;
  /** The clock for the log of calls; default: the system's. */
  readonly now?: () => number;
}

const optionsSchema = z.strictObject({
  accounts: z.int().min(0).max(1000).optional(),
  changeTime: z.number().nonnegative().optional(),
  randomFaults: randomFaultsSchema.optional(),
  signingKeyPath: z.string().optional(),
  interval: z.number().positive().optional(),
  approvedClients: z.array(z.string()).optional(),
});

/** The options that can be written as JSON. @throws z.ZodError */
export function parseOptions(json: string): FakeGameOptions {
  return optionsSchema.parse(JSON.parse(json));
}
