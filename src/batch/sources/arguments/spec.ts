import type { Coverage } from '../../model/coverage.ts';

/** The sources that a user named, as the command line takes them. */
export interface SourceSpec {
  /** Paths, URLs, UUIDs, players' names, pasted skin data, `-` for stdin. */
  readonly args: readonly string[];
  /** Players, by UUID or name. Default: none. */
  readonly players?: readonly string[];
  /** Lists of more sources: paths, or `-` for stdin. */
  readonly from: readonly string[];
  /** Whether to recurse into subfolders. */
  readonly recursive: boolean;
  /** Patterns, as in a .gitignore, of files to skip in each folder. */
  readonly ignore: readonly string[];
  /** Whether HD skins are scaled down instead of refused. Default: false. */
  readonly fit?: boolean;
  /** The kind of every argument and row. Absent: each is judged by what it looks like. */
  readonly as?: 'file' | 'url' | 'user';
}

/** Where relative paths and `-` lead. */
export interface SourceRoots {
  /** Absolute path. */
  readonly cwd: string;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Hears of what a list holds in vain, in sentences. */
  readonly warn?: (message: string) => void;
  /** Told of the folders and lists that are read whole. */
  readonly coverage?: Coverage | undefined;
}
