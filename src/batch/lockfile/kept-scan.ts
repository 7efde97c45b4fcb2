import { hash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { type FileStamp, isInDoubt } from '../../base/file-stamp.ts';
import { readOrNothing } from '../../base/read-or-nothing.ts';
import { VERSION } from '../../base/version.ts';
import { writeOrNothing } from '../../base/write-or-nothing.ts';
import type { EntrySigner } from './entry-signer.ts';
import { type Columns, EntryTable } from './entry-table.ts';
import type { Scan } from './scan.ts';
import { SignerColumn } from './signer-column.ts';

/** What is known of all entries of a lockfile. */
export interface KnownEntries {
  readonly scan: Scan;
  readonly signers: SignerColumn;
}

interface Kept extends Omit<Scan, 'table'> {
  /** Of this program, and of the lockfile. */
  readonly mark: string;
  readonly columns: Columns;
  readonly signers: readonly EntrySigner[];
  readonly signerNumbers: Uint8Array;
}

/** Changes with the fields of `Kept`. */
const FORMAT = 2;
/** Bytes; a smaller lockfile is scanned in a moment. */
const SMALLEST_LOCKFILE = 256 * 1024;
/** Milliseconds after which what is kept of a lockfile is dropped, unless that has changed since. */
const KEPT = 90 * 24 * 60 * 60 * 1000;
/** After the checksum; a multiple of eight, so that columns of numbers need not be copied. */
const BODY_AT = 8;

/**
 * Keeps what a scan of a lockfile has found, and who signed its entries, so that the next run need not read a lockfile
 * that has not changed. Believed as the file memory is: only of a lockfile with the very same stamp, which was old
 * enough to be relied on. It is only a cache.
 */
export class KeptScan {
  readonly #path: string;
  readonly #opened: number;

  /** @param lockfile absolute path, @param folder for what is kept, @param opened milliseconds since the epoch */
  constructor(lockfile: string, folder: string, opened: number) {
    this.#path = join(folder, `${hash('sha256', lockfile).slice(0, 24)}.bin`);
    this.#opened = opened;
  }

  /** What an earlier run has kept of the lockfile with this stamp. */
  recall(stamp: FileStamp): KnownEntries | undefined {
    const kept = this.#isWorthKeeping(stamp) ? decode(readOrNothing(this.#path)) : undefined;
    if (kept?.mark !== markOf(stamp)) return undefined;
    const { columns, signers, signerNumbers, lineEnd, isEnded } = kept;
    return {
      scan: { table: EntryTable.of(columns), lineEnd, isEnded },
      signers: new SignerColumn(signerNumbers, signers),
    };
  }

  keep(stamp: FileStamp, { scan, signers }: KnownEntries): void {
    if (!this.#isWorthKeeping(stamp)) return;
    const { table, ...form } = scan;
    const bytes = encode({
      mark: markOf(stamp),
      ...form,
      columns: table.columns(),
      signers: signers.signers,
      signerNumbers: signers.numbers,
    });
    if (writeOrNothing(this.#path, bytes)) this.#dropOld(dirname(this.#path));
  }

  #isWorthKeeping(stamp: FileStamp): boolean {
    return stamp.size >= SMALLEST_LOCKFILE && !isInDoubt(stamp, this.#opened);
  }

  #dropOld(folder: string): void {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs < this.#opened - KEPT) rmSync(path, { force: true });
    }
  }
}

/** The checksum of what follows, and that. */
function encode(kept: Kept): Buffer {
  const body = serialize(kept);
  const checksum = Buffer.alloc(BODY_AT);
  checksum.writeUInt32LE(crc32(body));
  return Buffer.concat([checksum, body]);
}

/** Undefined for what is damaged, or written by a newer V8. */
function decode(bytes: Buffer): Kept | undefined {
  const body = bytes.subarray(BODY_AT);
  if (body.length === 0 || bytes.readUInt32LE() !== crc32(body)) return undefined;
  try {
    return deserialize(body);
  } catch {
    return undefined; // the lockfile itself is scanned
  }
}

/** What must be the same for what was kept to be believed. */
function markOf({ size, mtimeMs, ctimeMs, ino }: FileStamp): string {
  return [FORMAT, VERSION, size, mtimeMs, ctimeMs, ino].join(' ');
}
