import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, open, stat } from 'node:fs/promises';

/**
 * The last line of a backup: the SHA-256 of every byte before it. SQLite takes the length of a database from its
 * header and never looks at what follows, so a sealed file can still be opened as a database.
 */
const MARK = 'skinsmith-backup-sha256:';
const SEAL = new RegExp(`^${MARK}([0-9a-f]{64})\\n$`);
const SEAL_BYTES = MARK.length + 64 + 1;

export type Seal =
  | { readonly kind: 'whole'; readonly digest: string }
  /** The bytes are not those that were sealed. */
  | { readonly kind: 'broken' }
  /** Made before backups had a seal, or cut off. */
  | { readonly kind: 'none' };

/** Seals a finished file. @returns the digest, hexadecimal */
export async function seal(path: string): Promise<string> {
  const digest = await digestOfStart(path, (await stat(path)).size);
  await appendFile(path, `${MARK}${digest}\n`);
  return digest;
}

/** Reads the whole file and says whether it is as it was sealed. @throws Error of the file system */
export async function verifySeal(path: string): Promise<Seal> {
  const contentBytes = (await stat(path)).size - SEAL_BYTES;
  const digest = contentBytes < 0 ? undefined : SEAL.exec(await readEnd(path, contentBytes))?.[1];
  if (digest === undefined) return { kind: 'none' };
  return (await digestOfStart(path, contentBytes)) === digest
    ? { kind: 'whole', digest }
    : { kind: 'broken' };
}

/** Cuts the seal off, where there is one: what is left is the database alone. */
export async function removeSeal(path: string): Promise<void> {
  const contentBytes = (await stat(path)).size - SEAL_BYTES;
  if (contentBytes < 0 || !SEAL.test(await readEnd(path, contentBytes))) return;
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
    const { buffer } = await file.read(Buffer.alloc(SEAL_BYTES), 0, SEAL_BYTES, from);
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
