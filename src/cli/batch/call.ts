import type { TypedOutputOptions, TypedSkinOptions } from '../commands/skin-options.ts';
import type { Deps } from '../deps.ts';
import type { Settings } from '../settings.ts';
import type { TypedBatchOptions } from './typed-options.ts';

/** One command over many sources, as it was typed. */
export interface BatchCall {
  readonly deps: Deps;
  readonly settings: Settings;
  readonly typed: TypedSkinOptions &
    TypedOutputOptions &
    TypedBatchOptions & { readonly sources: readonly string[] };
  /** Follow the jobs to their ends; else they are only submitted. */
  readonly follow: boolean;
  /** UUID of the cape that goes with every skin. */
  readonly cape: string | undefined;
  /** Several sources were given, or a folder: JSON is a list then, even of one. */
  readonly isList: boolean;
  /** Tells commands without a lockfile apart: the same one again goes on where it was stopped. */
  readonly purpose: string;
}
