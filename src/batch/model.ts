import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { ServiceError } from '../client/errors.ts';
import type { Submission } from '../dispatch/limits.ts';
import type { Note } from '../protocol/envelope.ts';
import type { Job } from '../protocol/job.ts';
import type { SourceRecord } from '../protocol/lock-line.ts';
import type { ReceivedSkin, SkinVariant, SkinVisibility } from '../protocol/skin.ts';
import type { SkinData } from '../textures/property.ts';

/** The requested variant: `auto` detects it from the picture. */
export type VariantInput = 'auto' | 'classic' | 'slim';

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
  | { readonly kind: 'data'; readonly given: SuppliedSkin }
  /**
   * 32 hexadecimal digits: a skin that the service has, else a player. `given`: the skin that the service has, once it
   * has answered.
   */
  | { readonly kind: 'uuid'; readonly uuid: string; readonly given?: SuppliedSkin }
  /**
   * A player of Bedrock Edition: XUID, or gamertag in lower case. `typed`: the name as written; `given`: the skin data,
   * once it has been looked up.
   */
  | {
      readonly kind: 'bedrock';
      readonly player: string;
      readonly typed: string;
      readonly given?: SuppliedSkin;
    }
  /** Unusable: a missing file, an invalid row. */
  | { readonly kind: 'problem'; readonly problem: SourceProblem };

/** The content of a source that cannot be used. */
export function unusable(
  code: string,
  message: string,
  hint?: string,
): Extract<SourceContent, { kind: 'problem' }> {
  return { kind: 'problem', problem: { code, message, ...(hint !== undefined && { hint }) } };
}

/**
 * Skin data given as a source. Its value contains a skin; its signature, if there was one, is as given, and its signer
 * is not known yet.
 */
export interface SuppliedSkin
  extends Pick<FinishedSkin, 'value'>,
    Partial<Pick<FinishedSkin, 'signature' | 'uuid' | 'name' | 'visibility'>> {
  /** Pixel hash of the picture that it was made from, as a lockfile tells. */
  readonly pixels?: string | undefined;
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
  readonly variant?: VariantInput | undefined;
  readonly visibility?: SkinVisibility | undefined;
  /** Pictures that packs give the skin. */
  readonly cape?: SourceContent | undefined;
  readonly elytra?: SourceContent | undefined;
}

/** A folder that was walked to its end. */
interface WalkedFolder {
  /** Absolute. */
  readonly path: string;
  /** Whether its subfolders were walked too. */
  readonly recursive: boolean;
  /** Whether there was no picture in it: it may be the wrong folder, or not mounted. */
  readonly isEmpty: boolean;
}

/**
 * The folders and lists that a run has read whole. A source counts as gone only if one of them should contain it: the
 * lockfile may have entries from others.
 */
export class Coverage {
  readonly #folders: WalkedFolder[] = [];
  readonly #lists = new Set<string>();
  readonly #doubtful = new Set<string>();

  addFolder(folder: WalkedFolder): void {
    this.#folders.push(folder);
  }

  /** @param path absolute, of a list that has rows */
  addList(path: string): void {
    this.#lists.add(path);
  }

  /** A source has failed. If a list names it, another one may seem gone only because its row is misspelled. */
  addFailure({ list }: Pick<BatchSource, 'list'>): void {
    if (list !== undefined) this.#doubtful.add(list);
  }

  /** The folder in which the run would have found a file. */
  folderOf(file: string): WalkedFolder | undefined {
    return this.#folders.find((folder) => isIn(file, folder));
  }

  /** Whether every source that a list names is known. */
  hasList(path: string): boolean {
    return this.#lists.has(path) && !this.#doubtful.has(path);
  }
}

function isIn(file: string, { path, recursive }: WalkedFolder): boolean {
  if (!recursive) return dirname(file) === path;
  for (let at = dirname(file), below = file; at !== below; below = at, at = dirname(at))
    if (at === path) return true;
  return false;
}

/** A batch that cannot start or continue, for a reason not tied to a single source: a missing list, stdin used twice. */
export class BatchSetupError extends Error {
  override readonly name = 'BatchSetupError';
  readonly code: string;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, rest: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: rest.cause });
    this.code = code;
    this.hint = rest.hint;
  }
}

/** Where a result came from: new, or known without a new generation. `given`: the source was the skin data. */
export type ResultOrigin = 'made' | 'lockfile' | 'journal' | 'repeated' | 'given';

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

/**
 * The signer of skin data, as results and the lockfile name it: `game` (one of its published keys), `embedded`
 * (an embedded service, on this machine or another), the address of the service whose own key signed, or
 * `unproved` where no known key verifies the signature.
 */
export type Signer = string;

/** A signer, and the fingerprint of its own key if that is known. */
export interface SignedBy {
  readonly signer: Signer;
  readonly key?: string | undefined;
}

/** Skin data and what is known about it. */
export interface FinishedSkin extends SkinData {
  /** 32 hexadecimal digits. */
  readonly uuid: string;
  readonly name?: string | undefined;
  readonly variant: SkinVariant;
  readonly visibility: SkinVisibility;
  readonly texture: { readonly url: string; readonly hash: string };
  /** The signer; absent if it was not checked. */
  readonly signedBy?: SignedBy | undefined;
  /** Whether the service already had it. */
  readonly duplicate?: boolean | undefined;
}

/** Converts a skin in the wire format to the form of results. */
export function finishedSkin(skin: ReceivedSkin): FinishedSkin {
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

/** What our own service says with `invalid_image_url` when it must not fetch an address. */
const REFUSED_ADDRESS_CODES: ReadonlySet<string> = new Set(['address_refused', 'port_refused']);

/** The hint for a URL that the service must not fetch; undefined if the problem is another. */
export function fetchHint(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const isRefused = error.answer.errors.some(({ code }) => REFUSED_ADDRESS_CODES.has(code));
  return isRefused ? 'Fetch it from this machine and send the picture: --fetch-locally' : undefined;
}

/** A source that waits for a skin. */
export interface Member {
  /** Position among all sources, from 0. */
  readonly index: number;
  readonly source: BatchSource;
  /** Where its output goes, see `BatchResult.stem`. */
  readonly stem: string;
  /** Its name in the lockfile. */
  readonly id: string;
  /** Pixel hash, if the picture is available. */
  readonly pixels: string | undefined;
  /** What earlier batches recorded about it; undefined if the lockfile does not have it. */
  readonly record?: SourceRecord | undefined;
  /** See `BatchResult.wantedStem`. */
  readonly wantedStem?: string | undefined;
}

/** One skin to make, for one source or for several with the same pixels and options. */
export interface Work extends Submission {
  /** The picture and name of the first one are sent. */
  readonly members: Member[];
  /** The picture, while worth keeping; later it is read again. */
  bytes: Uint8Array | undefined;
  /** Pixel hash of the picture to send, if it was fetched only for that. */
  pixels?: string | undefined;
  /** Notes on the picture. */
  warnings: readonly Note[];
  /** Its job on the service. */
  job: Job | undefined;
}

/** The variant that a result must have. A player's is the player's own, whatever was requested. */
export function provableVariant({ variant, members: [first] }: Work): VariantInput {
  return first?.source.content.kind === 'user' ? 'auto' : variant;
}

export function pixelsOf(work: Work): string | undefined {
  return work.pixels ?? work.members[0]?.pixels;
}

/**
 * What a skin is made from: a picture by its pixel hash (64 hex digits), a link, a player's UUID or name, or skin
 * data as the lockfile calls it.
 */
export type WorkContent =
  | { readonly pixels: string }
  | { readonly url: string }
  | { readonly user: string }
  | { readonly given: string };

interface WorkInput {
  readonly content: WorkContent;
  readonly variant: VariantInput;
  /** Absent: public. */
  readonly visibility: SkinVisibility | undefined;
  /** UUID of a cape, 32 hexadecimal digits. Absent: none. */
  readonly cape?: string | undefined;
}

const VARIANT_LETTERS = { auto: 'a', classic: 'c', slim: 's' } as const satisfies Record<
  VariantInput,
  string
>;
const VISIBILITY_LETTERS = { public: 'p', unlisted: 'u', private: 'v' } as const satisfies Record<
  SkinVisibility,
  string
>;

/** Digits of a work key that come from the content: without a cape, the first digits of the pixel hash. */
const CONTENT_DIGITS = 32;

/**
 * Identifies work: sources with the same key share one skin. 32 hexadecimal digits for the content and the
 * cape, a letter for the requested variant and one for the visibility.
 */
export function workKey({ content, variant, visibility, cape }: WorkInput): string {
  const digits = cape === undefined ? digitsOf(content) : sha256(`${digitsOf(content)} cape:${cape}`);
  return (
    digits.slice(0, CONTENT_DIGITS) + VARIANT_LETTERS[variant] + VISIBILITY_LETTERS[visibility ?? 'public']
  );
}

function digitsOf(content: WorkContent): string {
  if ('pixels' in content) return content.pixels;
  if ('given' in content) return sha256(content.given);
  return sha256('url' in content ? `url:${content.url}` : `user:${content.user}`);
}

function sha256(text: string): string {
  return hash('sha256', text);
}

/** The options in a work key, except the cape. */
export function optionsOf(key: string): { variant: VariantInput; visibility: SkinVisibility } {
  const [variantLetter, visibilityLetter] = key.slice(CONTENT_DIGITS);
  return {
    variant: optionNamed(VARIANT_LETTERS, variantLetter),
    visibility: optionNamed(VISIBILITY_LETTERS, visibilityLetter),
  };
}

function optionNamed<K extends string>(letters: Readonly<Record<K, string>>, letter: string | undefined): K {
  const name = (Object.keys(letters) as K[]).find((key) => letters[key] === letter);
  if (name === undefined) throw new Error(`No option has the letter ${letter}.`);
  return name;
}
