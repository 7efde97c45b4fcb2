import type { AnyView } from '../../skin/render/render.ts';
import type { Variant } from '../../skin/variant.ts';

/** A picture to be drawn of a texture. It crosses threads, so it is plain data. */
export interface RenderJob {
  /** The skin's texture, a PNG. */
  readonly skin: Uint8Array;
  /** The cape's texture, a PNG; it shows in the view `back`. */
  readonly cape?: Uint8Array | undefined;
  readonly view: AnyView;
  readonly variant: Variant | 'auto';
  readonly overlay: boolean;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** What the thread answers, by the number of the job. */
export type RenderResult =
  | { readonly number: number; readonly png: Uint8Array }
  | { readonly number: number; readonly problem: string };
