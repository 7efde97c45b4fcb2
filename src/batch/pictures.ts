import { readFileSync, type Stats, statSync } from 'node:fs';
import type { DigestCache } from '../base/digest-cache.ts';
import { isUuid } from '../base/text.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { SkinOptions, SkinSource } from '../client/types.ts';
import type { SkinRequest } from '../dispatch/session.ts';
import type { Note } from '../protocol/envelope.ts';
import { SKIN_NAME_RULE } from '../protocol/skin.ts';
import { checkSkin } from '../skin/check.ts';
import { InvalidImageError, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { type MendedSkin, mendSkin, pixelHash } from '../skin/read-skin.ts';
import {
  type Member,
  pixelsOf,
  type SourceContent,
  type SourceProblem,
  type SuppliedSkin,
  type VariantInput,
  type Work,
} from './model.ts';
import { sentNameOf, sourceName } from './names.ts';
import { fileProblem, MAX_PICTURE_BYTES } from './sources/files.ts';
import { PlayerNameError, type PlayerNames } from './sources/player-names.ts';
import { fetchSuppliedTexture, SuppliedTextureError } from './sources/supplied-skin.ts';

/** Reads what sources contain: to identify it, to send it, and to prove the skin made from it. */

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

/** The file was edited between planning and submission. */
const CHANGED = {
  code: 'source_changed',
  message: 'The file has changed since the batch began.',
  hint: 'Run it again.',
};

interface SourceReading {
  readonly client: SkinClient;
  /** Absent: names of players are sent as they are. */
  readonly players: PlayerNames | undefined;
  /** Whether the service reaches the game from elsewhere than this machine. */
  readonly isRemote: boolean;
  readonly signal: AbortSignal;
}

type ToSend = SkinSource | { readonly problem: SourceProblem };

/** The submission of a piece of work, or why there is none. @throws the signal's reason */
export async function requestFor(
  work: Work,
  reading: SourceReading,
): Promise<SkinRequest | { readonly problem: SourceProblem }> {
  const source = await sourceToSend(work, reading);
  if ('problem' in source) return source;
  const [first] = work.members;
  if (first) work.warnings = mergeNotes(work.warnings, renamedNotes(first));
  return { source, options: skinOptions(work) };
}

/** The options with which a piece of work is submitted. */
export function skinOptions({ members: [first], variant, visibility, cape }: Work): SkinOptions {
  return {
    name: first && sentNameOf(first.source),
    variant: variant === 'auto' ? undefined : variant,
    visibility,
    cape,
  };
}

/** Says that a service does not take a name as it is. The ends of URLs and values are not meant as names. */
function renamedNotes({ source }: Member): Note[] {
  const isMeant = source.content.kind === 'file' || source.name !== undefined;
  const [own, sent] = [sourceName(source), sentNameOf(source)];
  if (!isMeant || sent === own) return [];
  const outcome = sent === undefined ? 'Submitted without a name' : `Submitted with the name "${sent}"`;
  const message = `${outcome}: on services, names may contain ${SKIN_NAME_RULE}. Your results call it "${own}".`;
  return [{ code: 'name_changed', message }];
}

/** The request body for a piece of work, or why there is none. @throws the signal's reason */
async function sourceToSend(work: Work, reading: SourceReading): Promise<ToSend> {
  const [first] = work.members;
  if (!first) throw new Error('Work without a source.');
  const { content } = first.source;
  switch (content.kind) {
    case 'url':
      return { url: content.url };
    case 'user':
      return await playerToSend(content, reading);
    case 'data':
    case 'uuid':
    case 'bedrock':
      return await textureToSend(work, content.given, reading);
    default:
      return pictureToSend(work, content);
  }
}

/** A picture edited since planning is a failed source, not another skin. */
function pictureToSend(work: Work, content: SourceContent): ToSend {
  const inspected = work.bytes
    ? { bytes: work.bytes, pixels: pixelsOf(work), warnings: work.warnings }
    : inspectSource(content, work.variant, undefined, work.members[0]?.source.label);
  if ('problem' in inspected) return inspected;
  if (!inspected.bytes || inspected.pixels !== pixelsOf(work)) return { problem: CHANGED };
  work.warnings = inspected.warnings;
  return fileToSend(work, inspected.bytes);
}

/** The picture of skin data that cannot itself be the result. */
async function textureToSend(
  work: Work,
  given: SuppliedSkin | undefined,
  { client, signal }: SourceReading,
): Promise<ToSend> {
  if (!given) throw new Error('A UUID that was not looked up.');
  try {
    const bytes = await fetchSuppliedTexture(given, client, { signal });
    const inspected = inspectSource({ kind: 'bytes', bytes }, work.variant, undefined);
    if ('problem' in inspected) return inspected;
    work.pixels = inspected.pixels;
    return fileToSend(work, inspected.bytes ?? bytes);
  } catch (error) {
    if (signal.aborted || !(error instanceof SuppliedTextureError)) throw error;
    return { problem: error };
  }
}

function fileToSend(work: Work, file: Uint8Array): SkinSource {
  const [first] = work.members;
  return { file, fileName: `${(first && sentNameOf(first.source)) ?? 'skin'}.png` };
}

async function playerToSend(
  player: Extract<SourceContent, { kind: 'user' }>,
  { players, isRemote, signal }: SourceReading,
): Promise<ToSend> {
  const { user } = player;
  if (isUuid(user) || !players) return { user };
  try {
    return { user: await players.uuidOf(player, signal) };
  } catch (error) {
    if (signal.aborted || !(error instanceof PlayerNameError)) throw error;
    const { code, message, isPassing } = error;
    // A service elsewhere may look the player up where this machine cannot; only names are looked up here.
    const hint = isRemote ? 'Try again later, or give the UUID of the player.' : 'Try again later.';
    return { problem: { code, message, ...(isPassing && { hint }) } };
  }
}

/** Both lists with each code once, since client and service check the same picture. */
export function mergeNotes(ours: readonly Note[], theirs: readonly Note[]): Note[] {
  const codes = new Set(ours.map((note) => note.code));
  const all = [...ours, ...theirs.filter((note) => !codes.has(note.code))];
  return all.map(({ code, message }) => ({ code, message }));
}
