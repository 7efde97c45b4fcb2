import { createHash, createHmac } from 'node:crypto';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { Clock } from '../../base/clock.ts';
import { type Allowance, EvictingMap, isWhole, refill } from '../fairness/rate-limits.ts';
import { fetchGuarded, type GuardedAgent } from '../outbound/guarded-agent.ts';
import {
  asProviderError,
  type Claims,
  claimOf,
  claimsAskedFor,
  nameIn,
  type OpenIdSettings,
  ProviderError,
  passes,
  type Rights,
  rightsIn,
} from './claims.ts';

/** Milliseconds for one request to the provider. */
const TIMEOUT = 8_000;
/** Bytes of an answer: key sets and tokens are far smaller. */
const MAX_BYTES = 256 * 1024;

/** Sends openid-client's requests by the way that the operator's rules guard. Redirects are not followed. */
export function guardedFetch(agent: GuardedAgent): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const { status, contentType, bytes } = await fetchGuarded(agent, {
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeout: TIMEOUT,
      answer: 'whole',
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      ...(signal && { signal }),
    });
    const content = bytes.length > 0 ? new Uint8Array(bytes) : null;
    return new Response(content, { status, headers: { 'content-type': contentType ?? '' } });
  };
}

/** A person, as the provider vouches for it. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** Names the person at this issuer, for good. */
  readonly subject: string;
  /** A name for a new user. */
  readonly name: string;
  readonly rights: Rights;
}

interface ProviderOptions {
  readonly settings: OpenIdSettings;
  readonly agent: GuardedAgent;
  readonly clock: Clock;
  /** Whether a claim may give this plan. */
  readonly knowsPlan: (name: string) => boolean;
  /** A secret of the service, which all its nodes share. */
  readonly readKey: () => Promise<string>;
}

/** Sign-ins that may be finished in a minute, with a request that has the client's secret: of one network, and of all. */
const PER_NETWORK = 10;
const PER_MINUTE = 300;
/** Networks remembered before idle ones are forgotten. */
const MANY_NETWORKS = 1_000;

/** Milliseconds for which the provider's description of itself is used. */
const DESCRIPTION_AGE = 3_600_000;
/** Seconds by which the provider's clock may be wrong. */
const CLOCK_TOLERANCE = 30;

/**
 * The OpenID Connect provider. It keeps nothing about a sign-in: state, nonce and code verifier follow from a secret that
 * the browser has in a cookie and from one of the service, so any node can finish what another one began, and nobody can
 * make up a sign-in that the service has not begun.
 */
export class OpenIdProvider {
  readonly #options: ProviderOptions;
  readonly #networks = new EvictingMap<Allowance>(MANY_NETWORKS);
  readonly #all: Allowance;
  #described: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#all = { left: PER_MINUTE, at: options.clock.monotonic() };
  }

  /** What the button calls it. */
  get name(): string {
    return this.#options.settings.name;
  }

  /** Where the browser goes to sign in. @throws ProviderError */
  async begin(secret: string, redirectUri: string): Promise<URL> {
    const { state, nonce, verifier } = await this.#partsOf(secret);
    try {
      const { buildAuthorizationUrl } = await import('openid-client');
      return buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: redirectUri,
        scope: this.#options.settings.scopes,
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
    } catch (error) {
      throw asProviderError(error);
    }
  }

  /**
   * Who has signed in. @param answer the address that the provider led the browser to; `network`: where the browser is
   * @throws ProviderError
   */
  async finish(answer: URL, secret: string, network: string): Promise<ProviderIdentity> {
    const { state, nonce, verifier } = await this.#partsOf(secret);
    if (answer.searchParams.get('state') !== state) throw new ProviderError('stale', 'unexpected state');
    this.#spend(network);
    try {
      const { authorizationCodeGrant } = await import('openid-client');
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await authorizationCodeGrant(await this.#configuration(), answer, checks);
      const claims = tokens.claims();
      if (!claims) throw new ProviderError('invalid', 'there is no ID token');
      return this.#identity(await this.#completed(claims, tokens.access_token), claims);
    } catch (error) {
      throw asProviderError(error);
    }
  }

  #spend(network: string): void {
    const at = this.#options.clock.monotonic();
    const made = () => ({ left: PER_NETWORK, at });
    const own = this.#networks.ensure(network, made, (one) => isWhole(one, at));
    refill(own, PER_NETWORK, at);
    refill(this.#all, PER_MINUTE, at);
    if (own.left < 1 || this.#all.left < 1) throw new ProviderError('busy', 'too many sign-ins');
    own.left--;
    this.#all.left--;
  }

  /** The secrets of a sign-in, derived from that of its browser and that of the service. None reveals another. */
  async #partsOf(secret: string): Promise<{ state: string; nonce: string; verifier: string }> {
    const key = await this.#options.readKey();
    const part = (name: string) => createHmac('sha256', key).update(`${name}:${secret}`).digest('base64url');
    return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
  }

  #identity(claims: Claims, { iss, sub }: { readonly iss: string; readonly sub: string }): ProviderIdentity {
    const { settings, knowsPlan } = this.#options;
    // It would be one person for all whom the provider names like that.
    if (sub === '') throw new ProviderError('invalid', 'the claim sub is empty');
    if (settings.requiredClaim && !passes(claims, settings.requiredClaim))
      throw new ProviderError('not_allowed', `the claim ${settings.requiredClaim.claim} is not as required`);
    return { issuer: iss, subject: sub, name: nameIn(claims), rights: rightsIn(claims, settings, knowsPlan) };
  }

  /** Some providers return groups and the like only on another request, with the token. */
  async #completed(claims: Claims & { readonly sub: string }, accessToken: string): Promise<Claims> {
    const configuration = await this.#configuration();
    const missing = claimsAskedFor(this.#options.settings).some(
      (name) => claimOf(claims, name) === undefined,
    );
    if (!missing || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const { fetchUserInfo } = await import('openid-client');
    return { ...(await fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#options.clock.monotonic();
    if (!this.#described || this.#described.until <= now) {
      const described = { configuration: this.#discover(), until: now + DESCRIPTION_AGE };
      this.#described = described;
      described.configuration.catch(() => {
        if (this.#described === described) this.#described = undefined; // the next person tries again
      });
    }
    return await this.#described.configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { settings, agent, clock } = this.#options;
    const isPlain = new URL(settings.issuer).protocol === 'http:';
    const metadata = {
      [client.clockTolerance]: CLOCK_TOLERANCE,
      [client.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
    };
    const auth = clientAuth(settings.clientSecret, client);
    return await client.discovery(new URL(settings.issuer), settings.clientId, metadata, auth, {
      [client.customFetch]: guardedFetch(agent),
      execute: [
        ...(isPlain ? [client.allowInsecureRequests] : []),
        client.enableNonRepudiationChecks, // ID tokens prove themselves, however they came
      ],
    });
  }
}

/** The usual way for a client to authenticate itself, unless the provider accepts only the other one. */
function clientAuth(
  secret: string | undefined,
  { None, ClientSecretBasic, ClientSecretPost }: typeof import('openid-client'),
): ClientAuth {
  if (secret === undefined) return None();
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = ways.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
    authenticate(secret)(server, ...rest);
  };
}
