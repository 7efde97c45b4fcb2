import type { SkinVisibility } from '../../protocol/skin.ts';

/** The requested variant: `auto` detects it from the picture. */
export type VariantWish = 'auto' | 'classic' | 'slim';

/** The problem of one source. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Preprocessing of a picture. */
interface Fitting {
  /** Whether an HD skin is scaled down to the size that the game shows; otherwise it is refused. */
  readonly fit?: boolean;
}

/** Where a source's content is. */
export type SourceContent =
  /** A file; absolute path. */
  | ({ readonly kind: 'file'; readonly path: string } & Fitting)
  /** A picture already in memory (stdin, data URL). */
  | ({ readonly kind: 'bytes'; readonly bytes: Uint8Array } & Fitting)
  /** A picture that the service fetches. */
  | ({ readonly kind: 'url'; readonly url: string } & Fitting)
  /**
   * A player's skin; UUID without dashes, or a name, lower case. `typed`: the name as written; `isGuess`: the
   * user did not say that it is a player.
   */
  | { readonly kind: 'user'; readonly user: string; readonly typed?: string; readonly isGuess?: boolean }
  /** Skin data instead of a picture. */
  | { readonly kind: 'data'; readonly given: GivenSkin }
  /**
   * 32 hexadecimal digits: a skin that the service has, else a player. `given`: the service's answer; absent
   * until it was asked.
   */
  | { readonly kind: 'uuid'; readonly uuid: string; readonly given?: GivenSkin }
  /** Unusable: a missing file, an invalid row. */
  | { readonly kind: 'problem'; readonly problem: SourceProblem };

/** Skin data given as a source. Its value contains a skin; its signer is not known yet. */
export interface GivenSkin {
  /** Base64 of the textures document. */
  readonly value: string;
  /** As given, unchecked. Absent if there was none. */
  readonly signature?: string | undefined;
  /** 32 hexadecimal digits. */
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly visibility?: SkinVisibility | undefined;
}

/** One thing to make a skin from, as the user named it. */
export interface BatchSource {
  /** Its name in results: the path as typed or walked to, the URL, `-`, the start of a data URL. */
  readonly label: string;
  readonly content: SourceContent;
  /** Where its output belongs: path below the output folder, `/` between segments, no extension, not sanitized yet. */
  readonly stem: string;
  /** A name given for this very source (a column of a list); otherwise the stem's last part suggests one. */
  readonly name?: string | undefined;
  /** The list that names it; absolute path. */
  readonly list?: string | undefined;
  /** Options for this source only; otherwise those of the batch apply. */
  readonly variant?: VariantWish | undefined;
  readonly visibility?: SkinVisibility | undefined;
}
