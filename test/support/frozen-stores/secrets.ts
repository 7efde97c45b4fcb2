import { createHash } from 'node:crypto';

/** Texts that look random and are the same each time. */
export function hex(text: string, digits = 64): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

const NAMES = ['owner', 'dora', 'emil', 'fay'] as const;
/** A user in the frozen stores. */
export type UserName = (typeof NAMES)[number];

/** API keys of the users, which have all scopes of their user; the stores have their hashes. */
export const FROZEN_KEYS = Object.fromEntries(
  NAMES.map((name) => [name, `sksm_${hex(`key of ${name}`)}`]),
) as Readonly<Record<UserName, string>>;

/** Dora's, as her browser has it. */
export const SESSION_SECRET = createHash('sha256').update('session').digest('base64url');
/** Of a link that signs Dora in. */
export const LINK_SECRET = createHash('sha256').update('link').digest('base64url');
/** The tokens of the linked game accounts. */
export const TOKENS = JSON.stringify({ accessToken: 'a token of the game', expiresAt: 1 });
/** Under which Dora's first job was submitted. */
export const IDEMPOTENCY_KEY = 'the first of all';
/** The address in the signed skin data. */
export const FROZEN_URL = 'https://skins.example.org';

export function userId(name: UserName): string {
  return hex(`user ${name}`, 32);
}

/** To whom skins and jobs belong. */
export function ownerKey(name: UserName): string {
  return `user:${userId(name)}`;
}
