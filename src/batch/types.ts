import type { Note } from '../protocol/envelope.ts';
import type { SkinVariant, SkinVisibility } from '../protocol/skin.ts';

/** Arms as they are asked for: `auto` leaves it to the picture. */
export type VariantWish = 'auto' | 'classic' | 'slim';

/** What went wrong with one source. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Where a source's content is. */
export type SourceContent =
  /** A file; absolute path. */
  | { readonly kind: 'file'; readonly path: string }
  /** A picture that is at hand already (stdin, data URL). */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A picture that the service fetches. */
  | { readonly kind: 'url'; readonly url: string }
  /** A player's skin; UUID without dashes, or a name, lower case. `isGuess`: nobody said that it is a player. */
  | { readonly kind: 'user'; readonly user: string; readonly isGuess?: boolean }
  /** Nothing: a file that is not there, a row that makes no sense. */
  | { readonly kind: 'problem'; readonly problem: SourceProblem };

/** One thing to make a skin from, as the user named it. */
export interface BatchSource {
  /** What results call it: the path as typed or walked to, the URL, `-`, the beginning of a data URL. */
  readonly label: string;
  readonly content: SourceContent;
  /** Where its output belongs: path below the output folder, `/` between segments, no extension, as found. */
  readonly stem: string;
  /** A name that was given for this very source (a column of a list); else the stem's last part suggests one. */
  readonly name?: string | undefined;
  /** Options of this source alone; else those of the batch. */
  readonly variant?: VariantWish | undefined;
  readonly visibility?: SkinVisibility | undefined;
}

/** Skin data and what is known about it. */
export interface FinishedSkin {
  /** 32 hexadecimal digits. */
  readonly uuid: string;
  readonly name?: string | undefined;
  readonly variant: SkinVariant;
  readonly visibility: SkinVisibility;
  /** Base64 of the textures document. */
  readonly value: string;
  /** Base64 of the RSA signature over `value`. */
  readonly signature: string;
  readonly texture: { readonly url: string; readonly hash: string };
  /** Whether the service had it before it was asked. */
  readonly duplicate?: boolean | undefined;
}

/** Where a result came from: made now, or known without asking. */
export type ResultOrigin = 'made' | 'lockfile' | 'journal' | 'duplicate';

/** What became of one source. */
export interface BatchResult {
  /** Position of the source among all, from 0. */
  readonly index: number;
  /** The source's label. */
  readonly source: string;
  /** Path for its output below the output folder: safe, unique in the batch, no extension. */
  readonly stem: string;
  /** Where the source's picture is. */
  readonly content: SourceContent;
  readonly job?: string | undefined;
  /** Where it was known already it is read when it is asked for: only while the batch tells of the result. */
  readonly skin?: FinishedSkin | undefined;
  /** Another when the skin data is another; costs less than `skin`. */
  readonly version?: string | undefined;
  readonly origin?: ResultOrigin | undefined;
  readonly warnings: readonly Note[];
  readonly error?: SourceProblem | undefined;
}
