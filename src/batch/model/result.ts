import type { Note } from '../../protocol/envelope.ts';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { SeenSkin } from '../../protocol/seen-skin.ts';
import type { SkinVariant, SkinVisibility } from '../../protocol/skin.ts';
import type { SignedBy } from './signer.ts';
import type { SourceContent, SourceProblem } from './source.ts';

/** Where a result came from: new, or known without a new generation. `given`: the source was the skin data. */
export type ResultOrigin = 'made' | 'lockfile' | 'journal' | 'duplicate' | 'given';

/** The result for one source. */
export interface BatchResult {
  /** Position of the source among all, from 0. */
  readonly index: number;
  /** The source's label. */
  readonly source: string;
  /** Path for its output below the output folder: safe, unique in the batch, no extension. */
  readonly stem: string;
  /** The stem that another source already has, so that this one got a new one. */
  readonly wantedStem?: string | undefined;
  /** What earlier batches recorded about the source; undefined if the lockfile does not have it. */
  readonly record?: SourceRecord | undefined;
  /** Where the source's picture is. */
  readonly content: SourceContent;
  readonly job?: string | undefined;
  /** A skin already known is read on demand, and only while the batch reports the result. */
  readonly skin?: FinishedSkin | undefined;
  /** Differs if the skin data differs; cheaper than `skin`. */
  readonly version?: string | undefined;
  readonly origin?: ResultOrigin | undefined;
  readonly warnings: readonly Note[];
  readonly error?: SourceProblem | undefined;
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
  /** The signer; absent if it was not checked. */
  readonly signedBy?: SignedBy | undefined;
  /** Whether the service already had it. */
  readonly duplicate?: boolean | undefined;
}

/** Converts a skin in the wire format to the form of results. */
export function finishedSkin(skin: SeenSkin): FinishedSkin {
  return {
    uuid: skin.uuid,
    ...(skin.name !== undefined && { name: skin.name }),
    variant: skin.variant,
    visibility: skin.visibility,
    value: skin.texture.data.value,
    signature: skin.texture.data.signature,
    texture: { url: skin.texture.url.skin, hash: skin.texture.hash.skin },
    duplicate: skin.duplicate,
  };
}

/** Both lists with each code once, since client and service check the same picture. */
export function mergeNotes(ours: readonly Note[], theirs: readonly Note[]): Note[] {
  const codes = new Set(ours.map((note) => note.code));
  const all = [...ours, ...theirs.filter((note) => !codes.has(note.code))];
  return all.map(({ code, message }) => ({ code, message }));
}
