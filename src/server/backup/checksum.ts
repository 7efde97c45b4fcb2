import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, open, stat } from 'node:fs/promises';

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
