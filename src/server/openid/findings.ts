import { finding, type HealthFinding } from '../../protocol/service.ts';
import { OutboundError } from '../outbound/target.ts';
import { asProviderError, type OpenIdSettings } from './claims.ts';

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
