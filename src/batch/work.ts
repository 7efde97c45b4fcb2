import { hash } from 'node:crypto';
import { nameDigits, shownName } from '../base/text.ts';
import { hasForeignLetters, transliterated } from '../base/transliteration.ts';
import type { Submission } from '../dispatch/running-job.ts';
import type { Note } from '../protocol/envelope.ts';
import type { Job } from '../protocol/job.ts';
import type { SourceRecord } from '../protocol/lock-line.ts';
import type { SkinVisibility } from '../protocol/skin.ts';
import { MAX_NAME_LENGTH, skinNameFrom } from '../protocol/skin-name.ts';
import type { BatchSource, VariantInput } from './model.ts';

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

type Nameable = Pick<BatchSource, 'name' | 'content' | 'stem'>;

/** The name of a source's skin, in any language: the one given for it, else that of its skin data or its file. */
export function sourceName({ name, content, stem }: Nameable): string {
  const given = content.kind === 'data' ? content.given.name : undefined;
  return shownName(name ?? given ?? stem.slice(stem.lastIndexOf('/') + 1)) || `n-${nameDigits(stem)}`;
}

/**
 * The same name as services take it, in ASCII: always the same for the same name. Undefined if nothing readable is left
 * of it.
 */
export function sentNameOf(source: Nameable): string | undefined {
  const name = sourceName(source);
  const letters = transliterated(name);
  const sent = skinNameFrom(letters);
  if (!hasForeignLetters(letters)) return sent;
  const mark = `-${nameDigits(name)}`;
  const start = sent?.slice(0, MAX_NAME_LENGTH - mark.length).replaceAll(/^[_ ]+|[_ ]+$/g, '');
  return `${start || 'n'}${mark}`;
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
