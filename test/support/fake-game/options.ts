import { z } from 'zod';
import { type Weather, weatherSchema } from './faults.ts';

/** How the game's services behave. Times in milliseconds. */
export interface FakeGameOptions {
  /** Accounts to begin with; none unless given. */
  readonly accounts?: number | undefined;
  /** How long a change of skin takes; 0 unless given. */
  readonly changeTime?: number | undefined;
  /** Faults at random; fine unless given. */
  readonly weather?: Weather | undefined;
  /** RSA key to sign with (PKCS#8 PEM), made when not there; one of 2048 bits for this run unless given. */
  readonly signingKeyPath?: string | undefined;
  /** Seconds between two polls for a device code; 1 unless given. */
  readonly interval?: number | undefined;
  /** Client ids that may log in to the game; any unless given. */
  readonly approvedClients?: readonly string[] | undefined;
  /** The clock that calls are logged by; the system's unless given. */
  readonly now?: () => number;
}

const optionsSchema = z.strictObject({
  accounts: z.int().min(0).max(1000).optional(),
  changeTime: z.number().nonnegative().optional(),
  weather: weatherSchema.optional(),
  signingKeyPath: z.string().optional(),
  interval: z.number().positive().optional(),
  approvedClients: z.array(z.string()).optional(),
});

/** The options that can be written as JSON. @throws z.ZodError */
export function parseOptions(json: string): FakeGameOptions {
  return optionsSchema.parse(JSON.parse(json));
}
