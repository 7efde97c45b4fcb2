import { hash } from 'node:crypto';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { VariantWish } from './source.ts';

/**
 * What a skin is made from: a picture by its pixel hash (64 hex digits), a link, a player's UUID or name, or skin
 * data as the lockfile calls it.
 */
export type WorkContent =
  | { readonly pixels: string }
  | { readonly url: string }
  | { readonly user: string }
  | { readonly given: string };

export interface WorkWish {
  readonly content: WorkContent;
  readonly variant: VariantWish;
  /** Absent: public. */
  readonly visibility: SkinVisibility | undefined;
  /** UUID of a cape, 32 hexadecimal digits. Absent: none. */
  readonly cape?: string | undefined;
}

const VARIANT_LETTERS = { auto: 'a', classic: 'c', slim: 's' } as const satisfies Record<VariantWish, string>;
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
export function workKey({ content, variant, visibility, cape }: WorkWish): string {
  const digits = cape === undefined ? digitsOf(content) : sha256(`${digitsOf(content)} cape:${cape}`);
  return digits.slice(0, CONTENT_DIGITS) + optionLetters(variant, visibility);
}

/** The two letters at a work key's end. */
function optionLetters(variant: VariantWish, visibility: SkinVisibility = 'public'): string {
  return VARIANT_LETTERS[variant] + VISIBILITY_LETTERS[visibility];
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
export function optionsOf(key: string): { variant: VariantWish; visibility: SkinVisibility } {
  const [variantLetter, visibilityLetter] = key.slice(CONTENT_DIGITS);
  return {
    variant: nameOf(VARIANT_LETTERS, variantLetter),
    visibility: nameOf(VISIBILITY_LETTERS, visibilityLetter),
  };
}

function nameOf<K extends string>(letters: Readonly<Record<K, string>>, letter: string | undefined): K {
  const name = (Object.keys(letters) as K[]).find((key) => letters[key] === letter);
  if (name === undefined) throw new Error(`No option has the letter ${letter}.`);
  return name;
}
