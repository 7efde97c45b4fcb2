import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The service's files in its data folder. Whatever else is there is not the service's. */
export const STORE = 'skinsmith.db';
export const SIGNING_KEY = 'signing-key.pem';
export const PLANS = 'plans.json';
/** Without it the tokens of linked game accounts, which are in the store, are of no use. */
export const ACCOUNT_KEY = 'account-key';

/** Those that go into a backup beside the store. */
export const ENCLOSED = [SIGNING_KEY, PLANS, ACCOUNT_KEY] as const;
/** All of them, with what SQLite keeps beside the store. */
export const DATA_FILES = [STORE, `${STORE}-wal`, `${STORE}-shm`, ...ENCLOSED] as const;

/** The enclosure that says what a backup is. */
export const ABOUT = 'about.json';

/** The latest time that JavaScript has a date for. */
const LATEST = 8.64e15;

export const aboutSchema = z.object({
  format: z.literal(1),
  /** Version of the program that made it. Commands print it, so it holds only what versions consist of. */
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  /** Milliseconds since the epoch; a date can be made of it. */
  time: z.number().min(0).max(LATEST),
  /** SHA-256 of each enclosed file, hexadecimal. */
  files: z.partialRecord(z.enum(ENCLOSED), z.string()),
});
export type About = z.infer<typeof aboutSchema>;

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
