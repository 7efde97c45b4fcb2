import { ProxyError } from '../../base/error-reasons.ts';
import { OutboundError } from '../outbound/target.ts';

/** A condition on a claim. */
export interface ClaimTest {
  /** The claim's name, or its path with dots between the names. */
  readonly claim: string;
  /** The required text, alone or in a list; undefined: the claim must be `true`. */
  readonly value: string | undefined;
}

/** The OpenID Connect provider for single sign-on. */
export interface OpenIdSettings {
  /** Its address, exactly as the provider writes it, including any trailing slash. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without a secret, which only PKCE protects. */
  readonly clientSecret?: string | undefined;
  /** The provider's name on the button: "Sign in with …". */
  readonly name: string;
  /** Separated by spaces; must include `openid`. */
  readonly scopes: string;
  /** The claim that contains the plan, alone or in a list; undefined: operators decide. */
  readonly planClaim?: string | undefined;
  /** Who is an operator; undefined: the store decides. */
  readonly operatorClaim?: ClaimTest | undefined;
  /** Who may sign in; undefined: everyone whom the provider signs in. */
  readonly requiredClaim?: ClaimTest | undefined;
}

/** The provider's claims about a person, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** A user's rights from the claims; undefined: the claims do not decide. */
export interface Rights {
  readonly plan?: string | undefined;
  readonly isOperator?: boolean | undefined;
}

/** Longest name of a user, in characters. */
export const MAX_NAME = 32;
/** The plan of people without a plan in their claims. */
const USUAL_PLAN = 'free';

/** @param knowsPlan whether a plan with this name exists */
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

/** Names of all claims that the settings use. */
export function claimsAskedFor({ planClaim, operatorClaim, requiredClaim }: OpenIdSettings): string[] {
  return [planClaim, operatorClaim?.claim, requiredClaim?.claim].filter((claim) => claim !== undefined);
}

/** The value of a claim; undefined if there is none. The name may contain dots or be a path. */
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

/** A name for a new user, in the allowed characters. It does not identify the person. */
export function nameIn({ preferred_username, nickname, email, name }: Claims): string {
  const [mailbox] = String(email ?? '').split('@', 1);
  const candidates = [preferred_username, nickname, mailbox, name].map(asName);
  return candidates.find((candidate) => candidate !== '') ?? 'user';
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

/**
 * `unreachable`: it does not respond, or not like an OpenID provider; `denied`: it did not sign the person in;
 * `stale`: this sign-in was used, is too old, or began in another browser; `not_allowed`: the settings exclude the
 * person; `busy`: there are too many sign-ins; `invalid`: its answer proves nothing.
 */
export type ProviderFault = 'unreachable' | 'denied' | 'stale' | 'not_allowed' | 'busy' | 'invalid';

/** Why a sign-in failed. The message is for the operator and contains no tokens. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderFault;

  constructor(code: ProviderFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of openid-client for missing answers, and for those that no OpenID provider gives. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
]);
/** The provider's own errors for temporary problems (RFC 6749). */
const IN_TROUBLE: ReadonlySet<unknown> = new Set(['server_error', 'temporarily_unavailable']);

/** Classifies an error of openid-client. Keeps only the message of its cause, because the rest contains tokens. */
export function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const outbound = outboundErrorIn(error);
  if (outbound) return new ProviderError('unreachable', messageOf(outbound));
  const { name, code, error: answered, message, cause } = error as Record<string, unknown>;
  const detail = cause instanceof Error ? cause.message : undefined;
  const told = [code, answered, message, detail].filter((part) => typeof part === 'string').join(': ');
  return new ProviderError(faultOf({ name, code, answered }), told.slice(0, 300));
}

/** For the operator, with the failure of a proxy if there was one. */
function messageOf({ message, cause }: OutboundError): string {
  return cause instanceof ProxyError ? `${message.replace(/\.$/, '')}: ${cause.message}.` : message;
}

function faultOf({ name, code, answered }: Readonly<Record<string, unknown>>): ProviderFault {
  if (NO_ANSWER.has(code) || IN_TROUBLE.has(answered)) return 'unreachable';
  if (answered === 'invalid_grant') return 'stale';
  return name === 'AuthorizationResponseError' ? 'denied' : 'invalid';
}

function outboundErrorIn(error: unknown): OutboundError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause;
  }
  return undefined;
}
