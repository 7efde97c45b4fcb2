import { ProxyError } from '../../base/error-reasons.ts';
import { finding, type HealthFinding } from '../../protocol/service.ts';
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

/** What happens to people whose claims lack it. */
const WITHOUT = {
  planClaim: 'people without it get the plan free',
  operatorClaim: 'people without it are not operators',
  requiredClaim: 'people without it cannot sign in',
} satisfies Partial<Record<keyof OpenIdSettings, string>>;

/** What a provider says of itself, as far as it matters here. */
interface Provider {
  /** The claims that it may send; undefined if it lists none, or not as a list. */
  readonly claims: unknown;
  /** Claims of the settings that have come with a sign-in. */
  readonly arrived: ReadonlySet<string>;
}

/** Claims that the settings use and the provider does not list. Providers need not list all that they send. */
export function claimFindings(settings: OpenIdSettings, { claims, arrived }: Provider): HealthFinding[] {
  const { issuer, planClaim, operatorClaim, requiredClaim } = settings;
  const used = { planClaim, operatorClaim: operatorClaim?.claim, requiredClaim: requiredClaim?.claim };
  const unlisted = (Object.keys(WITHOUT) as (keyof typeof WITHOUT)[]).flatMap((role) => {
    const name = used[role];
    if (name === undefined || arrived.has(name) || isListed(name, claims)) return [];
    const message = `${issuer} does not list the claim ${name} among those that it sends: ${WITHOUT[role]}.`;
    return [finding('warning', 'claim_not_listed', message)];
  });
  return [...unlisted, finding('ok', 'provider_answers', `${issuer} answers.`)];
}

/** A claim of a path is part of that with the first name. */
function isListed(name: string, claims: unknown): boolean {
  if (!Array.isArray(claims)) return true;
  return claims.includes(name) || claims.includes(name.split('.')[0]);
}

/** Why the provider cannot be used. */
export function providerFault(error: unknown, { issuer }: Pick<OpenIdSettings, 'issuer'>): HealthFinding {
  const { code, message } = asProviderError(error);
  if (isRefusedAddress(error)) {
    const { hostname } = new URL(issuer);
    const text = `${hostname} has a private address, so the service does not connect to it.`;
    return finding('problem', 'provider_private', text);
  }
  if (code === 'unreachable')
    return finding('problem', 'provider_unreachable', `${issuer} does not answer: ${message}`);
  return finding('problem', 'provider_wrong', `${issuer} cannot be used as a provider: ${message}`);
}

function isRefusedAddress(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutboundError) return cause.code === 'address_refused';
  return false;
}
