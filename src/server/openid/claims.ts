import type { ClaimTest, OpenIdSettings } from './settings.ts';

/** What the provider says of a person, by the names of the claims. */
export type Claims = Readonly<Record<string, unknown>>;

/** What the claims decide about a user; undefined: they do not. */
export interface Rights {
  readonly plan?: string | undefined;
  readonly isOperator?: boolean | undefined;
}

/** Longest name of a user, in characters. */
export const MAX_NAME = 32;
/** The plan of people whose claim names none. */
const USUAL_PLAN = 'free';

/** @param knowsPlan whether there is a plan of this name */
export function rightsIn(
  claims: Claims,
  { planClaim, operatorClaim }: Pick<OpenIdSettings, 'planClaim' | 'operatorClaim'>,
  knowsPlan: (name: string) => boolean,
): Rights {
  return {
    ...(planClaim !== undefined && { plan: textsIn(claims, planClaim).find(knowsPlan) ?? USUAL_PLAN }),
    ...(operatorClaim && { isOperator: passes(claims, operatorClaim) }),
  };
}

export function passes(claims: Claims, { claim, value }: ClaimTest): boolean {
  if (value === undefined) return claimOf(claims, claim) === true;
  return textsIn(claims, claim).includes(value);
}

/** Names of all claims that the settings ask for. */
export function claimsAskedFor({ planClaim, operatorClaim, requiredClaim }: OpenIdSettings): string[] {
  return [planClaim, operatorClaim?.claim, requiredClaim?.claim].filter((claim) => claim !== undefined);
}

/** The value under a claim's name; undefined if there is none. A name may have dots in it, or be a path. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const key of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Claims)[key];
  }
  return found;
}

function textsIn(claims: Claims, name: string): string[] {
  const value = claimOf(claims, name);
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string');
}

/** A name for a new user, in the characters that names may have. It says nothing about who the person is. */
export function nameIn({ preferred_username, nickname, email, name }: Claims): string {
  const [mailbox] = String(email ?? '').split('@', 1);
  const wishes = [preferred_username, nickname, mailbox, name].map(asName);
  return wishes.find((wish) => wish !== '') ?? 'user';
}

function asName(text: unknown): string {
  if (typeof text !== 'string') return '';
  const plain = text
    .slice(0, 10 * MAX_NAME)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
  const sound = plain.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, MAX_NAME);
  return sound.replace(/^-+|-+$/g, '');
}
