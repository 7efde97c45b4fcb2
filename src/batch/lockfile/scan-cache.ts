import { hash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { readCacheFile, writeCacheFile } from '../../base/cache-file.ts';
import { type FileStamp, isInDoubt } from '../../base/file-stamp.ts';
import { VERSION } from '../../base/version.ts';
import type { EntrySigner } from './entry-signer.ts';
import { type Columns, EntryTable } from './entry-table.ts';
import type { Scan } from './scan.ts';
import { SignerColumn } from './signer-column.ts';

/** What a scan has found in a lockfile. */
export interface ScannedEntries {
  readonly scan: Scan;
  readonly signers: SignerColumn;
}

/** The content of the cache's file. */
interface CachedScan extends Omit<Scan, 'table'> {
  /** Identifies the state of the lockfile, and the version of this program. */
  readonly mark: string;
  readonly columns: Columns;
  readonly signers: readonly EntrySigner[];
  readonly signerNumbers: Uint8Array;
}

/** Changes with the fields of `CachedScan`. */
const FORMAT = 3;
/** Bytes; a smaller lockfile is scanned in a moment. */
const SMALLEST_LOCKFILE = 256 * 1024;
/** Milliseconds after which the scan of a lockfile that has not changed is removed. */
const MAX_AGE = 90 * 24 * 60 * 60 * 1000;
/** Where the body begins, after the checksum; a multiple of eight, so that columns of numbers need not be copied. */
const BODY_AT = 8;

/**
 * Stores what a scan of a lockfile has found, and who signed its entries, so that the next run need not read a lockfile
 * that has not changed. Used by the same rule as the cache of digests: only for a lockfile with the very same stamp, which
 * was old enough to be relied on. Without it, the lockfile is scanned.
 */
export class ScanCache {
  readonly #path: string;
  readonly #opened: number;

  /** @param lockfile absolute path, @param folder of the cache, @param opened milliseconds since the epoch */
  constructor(lockfile: string, folder: string, opened: number) {
    this.#path = join(folder, `${hash('sha256', lockfile).slice(0, 24)}.bin`);
    this.#opened = opened;
  }

  /** The scan that an earlier run has stored of the lockfile with this stamp. */
  get(stamp: FileStamp): ScannedEntries | undefined {
    const cached = this.#isWorthStoring(stamp) ? decode(readCacheFile(this.#path)) : undefined;
    if (cached?.mark !== markOf(stamp)) return undefined;
    const { columns, signers, signerNumbers, lineEnd, isEnded } = cached;
    return {
      scan: { table: EntryTable.of(columns), lineEnd, isEnded },
      signers: new SignerColumn(signerNumbers, signers),
    };
  }

  set(stamp: FileStamp, { scan, signers }: ScannedEntries): void {
    if (!this.#isWorthStoring(stamp)) return;
    const { table, ...form } = scan;
    const bytes = encode({
      mark: markOf(stamp),
      ...form,
      columns: table.columns(),
      signers: signers.signers,
      signerNumbers: signers.numbers,
    });
    if (writeCacheFile(this.#path, bytes)) this.#dropOld(dirname(this.#path));
  }

  #isWorthStoring(stamp: FileStamp): boolean {
    return stamp.size >= SMALLEST_LOCKFILE && !isInDoubt(stamp, this.#opened);
  }

  #dropOld(folder: string): void {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs < this.#opened - MAX_AGE) rmSync(path, { force: true });
    }
  }
}

/** The checksum of what follows, and that. */
function encode(cached: CachedScan): Buffer {
  const body = serialize(cached);
  const checksum = Buffer.alloc(BODY_AT);
  checksum.writeUInt32LE(crc32(body));
  return Buffer.concat([checksum, body]);
}

/** Undefined for what is damaged, or written by a newer V8. */
function decode(bytes: Buffer): CachedScan | undefined {
  const body = bytes.subarray(BODY_AT);
  if (body.length === 0 || bytes.readUInt32LE() !== crc32(body)) return undefined;
  try {
    return deserialize(body);
  } catch {
    return undefined; // the lockfile itself is scanned
  }
}

/** A cached scan counts only while this is the same. */
function markOf({ size, mtimeMs, ctimeMs, ino }: FileStamp): string {
  return [FORMAT, VERSION, size, mtimeMs, ctimeMs, ino].join(' ');
}
