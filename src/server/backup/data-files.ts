import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, type FileHandle, open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { idOfSigningKey } from '../../textures/signing-key.ts';
import { type AttachedFiles, readKeysOfStore } from '../store/sqlite-copy.ts';

export type BackupErrorCode =
  | 'no_data'
  | 'backup_unwritable'
  | 'backup_unreadable'
  | 'backup_damaged'
  | 'backup_too_new'
  | 'pg_restore_missing'
  | 'pg_restore_too_old'
  | 'data_in_the_way'
  | 'data_in_use';

/** Why a backup or restore failed. `message` and `hint` are for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;
  readonly hint: string | undefined;

  constructor(code: BackupErrorCode, message: string, hint?: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** The service's files in its data folder. Other files there do not belong to it. */
export const STORE = 'skinsmith.db';
export const SIGNING_KEY = 'signing-key.pem';
export const PLANS = 'plans.json';
/** Without it, the tokens of linked game accounts in the store cannot be decrypted. */
export const ACCOUNT_KEY = 'account-key';

/** The files in a backup besides the store. */
export const ATTACHED = [SIGNING_KEY, PLANS, ACCOUNT_KEY] as const;
/** All files, including those that SQLite keeps beside the store. */
export const DATA_FILES = [STORE, `${STORE}-wal`, `${STORE}-shm`, ...ATTACHED] as const;

/** The attached file that describes a backup. */
export const ABOUT = 'about.json';

/** The latest time of a JavaScript date. */
const LATEST = 8.64e15;

export const aboutSchema = z.object({
  format: z.literal(1),
  /** Version of the program that made it. Commands print it, so only characters of versions are allowed. */
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  /** Milliseconds since the epoch, in the range of a date. */
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
 * header and ignores what follows, so the file is still a valid database.
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

/** Reads the whole file and checks whether it is unchanged. @throws Error of the file system */
export async function verifyChecksum(path: string): Promise<ChecksumState> {
  const contentBytes = (await stat(path)).size - LINE_BYTES;
  const digest =
    contentBytes < 0 ? undefined : LINE.exec(await readText(path, LINE_BYTES, contentBytes))?.[1];
  if (digest === undefined) return { kind: 'none' };
  return (await digestOfStart(path, contentBytes)) === digest
    ? { kind: 'whole', digest }
    : { kind: 'broken' };
}

/** Cuts off the checksum, if there is one, which leaves only the database. */
export async function removeChecksum(path: string): Promise<void> {
  const contentBytes = (await stat(path)).size - LINE_BYTES;
  if (contentBytes < 0 || !LINE.test(await readText(path, LINE_BYTES, contentBytes))) return;
  await withFile(path, 'r+', async (file) => await file.truncate(contentBytes));
}

/** Bytes of a file, each as one character. */
export async function readText(path: string, bytes: number, from: number): Promise<string> {
  return await withFile(path, 'r', async (file) => {
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.toString('latin1');
  });
}

export async function sync(path: string): Promise<void> {
  await withFile(path, 'r+', async (file) => await file.sync());
}

async function withFile<T>(path: string, flags: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags);
  try {
    return await work(file);
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
 * The keys that a copied store needs but that are not attached: `serve` may have them outside the data folder.
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
