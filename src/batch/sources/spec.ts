/** What a user named, as the command line takes it. */
export interface SourceSpec {
  /** Paths, URLs, UUIDs, `-`. */
  readonly args: readonly string[];
  /** Lists of more: paths, or `-` for stdin. */
  readonly from: readonly string[];
  /** Whether a folder stands for all below it. */
  readonly recursive: boolean;
  /** Patterns, as in a .gitignore, of what to leave out of each folder. */
  readonly ignore: readonly string[];
  /** What every argument and row is, where its looks would say otherwise. */
  readonly as?: 'file' | 'url' | 'user';
}

/** Where relative paths and `-` lead. */
export interface SourceRoots {
  /** Absolute path. */
  readonly cwd: string;
  readonly stdin: () => AsyncIterable<Uint8Array>;
}
