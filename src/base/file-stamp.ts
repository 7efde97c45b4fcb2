/** The parts of `fs.Stats` that change when a file changes. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** Milliseconds. No file system has coarser timestamps. */
const RACY = 2000;

/**
 * A file written just before it was read may be written again without a new timestamp. All reads happen after
 * `opened`, so a file that was already old then is safe. A timestamp in the future means that the clock was changed.
 */
export function isInDoubt({ mtimeMs, ctimeMs }: FileStamp, opened: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > opened - RACY;
}
