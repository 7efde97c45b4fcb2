import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { idOfSigningKey } from '../../textures/signing-key.ts';
import { type AttachedFiles, readKeysOfStore } from '../store/sqlite-copy.ts';

export type BackupErrorCode =
  | 'no_data'
  | 'backup_unwritable'
  | 'backup_unreadable'
  | 'backup_damaged'
  | 'backup_too_new'
  | 'backup_too_old'
  | 'pg_restore_missing'
  | 'pg_restore_too_old'
  | 'data_in_the_way'
  | 'data_in_use';

/** Why nothing was backed up or restored. `message` and `hint` are for the operator's eyes. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: BackupErrorCode,
    message: string,
    { hint, cause }: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** The service's files in its data folder. Whatever else is there is not the service's. */
export const STORE = 'skinsmith.db';
export const SIGNING_KEY = 'signing-key.pem';
export const PLANS = 'plans.json';
/** Without it, the tokens of linked game accounts in the store cannot be decrypted. */
export const ACCOUNT_KEY = 'account-key';

/** Those that go into a backup beside the store. */
export const ATTACHED = [SIGNING_KEY, PLANS, ACCOUNT_KEY] as const;
/** All of them, with what SQLite keeps beside the store. */
export const DATA_FILES = [STORE, `${STORE}-wal`, `${STORE}-shm`, ...ATTACHED] as const;

/** The attached file that says what a backup is. */
export const ABOUT = 'about.json';

/** The latest time that JavaScript has a date for. */
const LATEST = 8.64e15;

export const aboutSchema = z.object({
  format: z.literal(1),
  /** Version of the program that made it. Commands print it, so it holds only what versions consist of. */
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  /** Milliseconds since the epoch; a date can be made of it. */
  time: z.number().min(0).max(LATEST),
  /** SHA-256 of each attached file, hexadecimal. */
  files: z.partialRecord(z.enum(ATTACHED), z.string()),
});
export type About = z.infer<typeof aboutSchema>;

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The last line of a backup: the SHA-256 of every byte before it. SQLite takes the length of a database from its
 * header and never looks at what follows, so such a file can still be opened as a database.
 */
const MARK = 'skinsmith-backup-sha256:';
const LINE = new RegExp(`^${MARK}([0-9a-f]{64})\\n$`);
const LINE_BYTES = MARK.length + 64 + 1;

export type ChecksumState =
  | { readonly kind: 'whole'; readonly digest: string }
  /** The bytes are not those that were there. */
  | { readonly kind: 'broken' }
  /** Cut off, or no backup. */
  | { readonly kind: 'none' };

/** Appends the checksum to a finished file. @returns the digest, hexadecimal */
export async function appendChecksum(path: string): Promise<string> {
  const digest = await digestOfStart(path, (await stat(path)).size);
  await appendFile(path, `${MARK}${digest}\n`);
  return digest;
}

/** Reads the whole file and says whether it is as it was then. @throws Error of the file system */
export async function verifyChecksum(path: string): Promise<ChecksumState> {
  const contentBytes = (await stat(path)).size - LINE_BYTES;
  const digest = contentBytes < 0 ? undefined : LINE.exec(await readEnd(path, contentBytes))?.[1];
  if (digest === undefined) return { kind: 'none' };
  return (await digestOfStart(path, contentBytes)) === digest
    ? { kind: 'whole', digest }
    : { kind: 'broken' };
}

/** Cuts the checksum off, where there is one: what is left is the database alone. */
export async function removeChecksum(path: string): Promise<void> {
  const contentBytes = (await stat(path)).size - LINE_BYTES;
  if (contentBytes < 0 || !LINE.test(await readEnd(path, contentBytes))) return;
  const file = await open(path, 'r+');
  try {
    await file.truncate(contentBytes);
  } finally {
    await file.close();
  }
}

async function readEnd(path: string, from: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, from);
    return buffer.toString('latin1');
  } finally {
    await file.close();
  }
}

async function digestOfStart(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  if (bytes === 0) return hash.digest('hex');
  for await (const chunk of createReadStream(path, { end: bytes - 1 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

export type KeyFile = typeof SIGNING_KEY | typeof ACCOUNT_KEY;

/**
 * The keys that a copied store counts on and that are not attached to it: `serve` may have been given them from elsewhere
 * than the data folder.
 */
export async function missingKeys(copy: string, attached: AttachedFiles): Promise<KeyFile[]> {
  const { signingKey, hasAccounts } = await readKeysOfStore(copy);
  const missing: KeyFile[] = [];
  if (signingKey !== undefined && idOf(attached[SIGNING_KEY]) !== signingKey) missing.push(SIGNING_KEY);
  if (hasAccounts && attached[ACCOUNT_KEY] === undefined) missing.push(ACCOUNT_KEY);
  return missing;
}

function idOf(pem: Uint8Array | undefined): string | undefined {
  return pem && idOfSigningKey(Buffer.from(pem).toString());
}
