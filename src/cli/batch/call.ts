import type { Settings } from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';
import type { TypedBatchOptions } from '../options/batch-options.ts';
import type { TypedOutputOptions, TypedSkinOptions } from '../options/skin-options.ts';
import type { TypedPictureOption } from '../output/terminal-picture.ts';

/** One command over many sources, as the user typed it. */
export interface BatchCall {
  readonly context: CommandContext;
  readonly settings: Settings;
  readonly typed: TypedSkinOptions &
    TypedOutputOptions &
    TypedBatchOptions &
    TypedPictureOption & { readonly sources: readonly string[] };
  /** Follow the jobs until they end; otherwise only submit them. */
  readonly follow: boolean;
  /** UUID of the cape to combine with every skin. */
  readonly cape: string | undefined;
  /** The user named several sources, or a folder: JSON output is then a list, even for a single result. */
  readonly isList: boolean;
  /** Identifies a command that has no lockfile, so that a repeated run resumes where the last one stopped. */
  readonly purpose: string;
}
