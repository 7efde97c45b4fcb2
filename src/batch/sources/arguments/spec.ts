/** The sources that a user named, as the command line takes them. */
export interface SourceSpec {
  /** Paths, URLs, UUIDs, `-`. */
  readonly args: readonly string[];
  /** Players, by UUID or name. */
  readonly players?: readonly string[];
  /** Lists of more sources: paths, or `-` for stdin. */
  readonly from: readonly string[];
  /** Whether to recurse into subfolders. */
  readonly recursive: boolean;
  /** Patterns, as in a .gitignore, of files to skip in each folder. */
  readonly ignore: readonly string[];
  /** Whether HD skins are scaled down instead of refused. */
  readonly fit?: boolean;
  /** The kind of every argument and row, if set by the user. */
  readonly as?: 'file' | 'url' | 'user';
}

/** Where relative paths and `-` lead. */
export interface SourceRoots {
  /** Absolute path. */
  readonly cwd: string;
  readonly stdin: () => AsyncIterable<Uint8Array>;
}
