import { readFileSync, type Stats, statSync } from 'node:fs';
import type { DigestCache } from '../base/digest-cache.ts';
import type { Note } from '../protocol/envelope.ts';
import { checkSkin } from '../skin/check.ts';
import { InvalidImageError, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { type MendedSkin, mendSkin, pixelHash } from '../skin/read-skin.ts';
import { pixelsOf, type SourceContent, type SourceProblem, type VariantInput, type Work } from './model.ts';
import { fileProblem, MAX_PICTURE_BYTES } from './sources/files.ts';

/** What is known about a source's picture. */
interface InspectedSource {
  /** Pixel hash; undefined if the picture is not at hand, as a URL's or a player's. */
  readonly pixels: string | undefined;
  /**
   * The PNG to send, scaled down if that was wanted, encoded anew if the file has faults; undefined if it is not at hand,
   * or was recognized without being read.
   */
  readonly bytes: Uint8Array | undefined;
  readonly warnings: readonly Note[];
}

/** A source that cannot be used; not an exception, since a batch may have many. */
type UnusableSource = { readonly problem: SourceProblem };
export type Inspected = InspectedSource | UnusableSource;

/**
 * Reads a source as far as needed to identify it. Small files are read synchronously: thousands of them take a
 * tenth of the time that as many promises do, and the caller yields in between. `label`: the file in messages.
 */
export function inspectSource(
  content: SourceContent,
  variant: VariantInput,
  digests: DigestCache | undefined,
  label?: string,
): Inspected {
  switch (content.kind) {
    case 'file':
      return inspectFile({ label, ...content }, variant, digests);
    case 'bytes':
      return checkPicture(content.bytes, { variant, fit: content.fit });
    case 'problem':
      return { problem: content.problem };
    case 'user':
      return {
        pixels: undefined,
        bytes: undefined,
        warnings: content.isGuess ? [guessNote(content.typed ?? content.user)] : [],
      };
    case 'url':
    case 'data':
    case 'uuid':
    case 'bedrock':
      return { pixels: undefined, bytes: undefined, warnings: [] };
  }
}

/** A mistyped path must not pass for a player unnoticed. */
function guessNote(name: string): Note {
  const message = `No file or folder ${name}, so it counts as a player's name. To make that explicit: --player ${name}`;
  return { code: 'taken_for_player', message };
}

function inspectFile(
  { path, fit, label }: Extract<SourceContent, { kind: 'file' }> & { readonly label: string | undefined },
  variant: VariantInput,
  digests: DigestCache | undefined,
): Inspected {
  // Digests are those of files as they are: --fit may change the picture.
  const known = fit ? undefined : digests;
  const read = readFile(path, label, (stamp) => known?.get(path, stamp));
  if ('problem' in read) return read;
  if ('known' in read) return { pixels: read.known, bytes: undefined, warnings: [] };
  const inspected = checkPicture(read.bytes, { variant, fit });
  if ('pixels' in inspected && inspected.pixels !== undefined) known?.set(path, read.stamp, inspected.pixels);
  return inspected;
}

/**
 * The unchanged bytes of a source that has a picture of its own. `label`: the file in messages.
 * @throws Error for a source of another kind
 */
export function readContent(
  content: SourceContent,
  label?: string,
): { readonly bytes: Uint8Array } | UnusableSource {
  if (content.kind === 'bytes' || content.kind === 'problem') return content;
  if (content.kind !== 'file') throw new Error(`A source of kind ${content.kind} has no picture of its own.`);
  const read = readFile(content.path, label, () => undefined);
  if ('known' in read) throw new Error('A file read in full cannot be a known one.');
  return read;
}

type Read =
  | { readonly known: string }
  | { readonly bytes: Uint8Array; readonly stamp: Stats }
  | UnusableSource;

/** A whole file, unless `knownPixels` has them for its stamp. Messages name it as the user did, if that is known. */
function readFile(path: string, label = path, knownPixels: (stamp: Stats) => string | undefined): Read {
  try {
    const stamp = statSync(path);
    const known = stamp.isFile() ? knownPixels(stamp) : undefined;
    if (known !== undefined) return { known };
    const problem = refuseFile(label, stamp);
    return problem ? { problem } : { bytes: readFileSync(path), stamp };
  } catch (error) {
    return { problem: fileProblem(label, error) };
  }
}

function checkPicture(
  original: Uint8Array,
  { variant, fit }: { readonly variant: VariantInput; readonly fit: boolean | undefined },
): Inspected {
  const mended = fit ? mendPicture(original) : undefined;
  if (mended && 'problem' in mended) return mended;
  const { bytes, notes } = mended ?? { bytes: original, notes: [] };
  const skin = checkSkin(bytes, variant === 'auto' ? undefined : variant);
  if (skin.error) return { problem: skin.error };
  return { pixels: skin.pixels, bytes: skin.resaved ?? bytes, warnings: [...notes, ...skin.warnings] };
}

/** A picture as `--fit` and `check --fix` change it; undefined if that needs no change. */
export function mendPicture(original: Uint8Array): MendedSkin | UnusableSource | undefined {
  try {
    return mendSkin(original);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const { code, message, hint } = error;
    return { problem: { code, message, hint } };
  }
}

function refuseFile(label: string, stamp: Stats): SourceProblem | undefined {
  if (stamp.isDirectory()) return { code: 'not_a_file', message: `${label} is a folder.` };
  // Pipes and devices have no end to rely on.
  if (!stamp.isFile()) return { code: 'not_a_file', message: `${label} is not a regular file.` };
  if (stamp.size <= MAX_PICTURE_BYTES) return undefined;
  return {
    code: 'invalid_image',
    message: `${label} has ${stamp.size} bytes; a skin has at most 20,000.`,
  };
}

/** The source's picture, read again if it was not kept; undefined: it has none, or it has changed. */
export function pictureOf(work: Work): Picture | undefined {
  const bytes = work.bytes ?? bytesOf(work);
  if (!bytes) return undefined;
  try {
    const picture = decodePng(bytes);
    return pixelHash(picture) === pixelsOf(work) ? picture : undefined;
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}

/** As they are sent. */
function bytesOf({ members: [first], variant }: Work): Uint8Array | undefined {
  const content = first?.source.content;
  if (content?.kind !== 'file' && content?.kind !== 'bytes') return undefined;
  const read = inspectSource(content, variant, undefined);
  return 'bytes' in read ? read.bytes : undefined;
}
