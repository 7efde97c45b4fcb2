import { createHash, createHmac } from 'node:crypto';
import * as client from 'openid-client';
import { remembered } from '../../base/caches.ts';
import type { Clock } from '../../base/clock.ts';
import type { HealthFinding } from '../../protocol/service.ts';
import { type Allowance, Allowances, refill } from '../fairness.ts';
import { fetchGuarded, type GuardedAgent } from '../outbound/guarded-agent.ts';
import { blockOf } from '../outbound/target.ts';
import { Remembered } from '../pools.ts';
import {
  asProviderError,
  type Claims,
  claimFindings,
  claimOf,
  claimsAskedFor,
  nameIn,
  type OpenIdSettings,
  ProviderError,
  passes,
  providerFault,
  type Rights,
  rightsIn,
} from './claims.ts';

/** Time limit of a request to the provider, in milliseconds. */
const TIMEOUT = 8_000;
/** Largest answer in bytes. Key sets and tokens are far smaller. */
const MAX_BYTES = 256 * 1024;

/** Sends openid-client's requests through the guarded agent. Follows no redirects. */
export function guardedFetch(agent: GuardedAgent): client.CustomFetch {
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

export interface ProviderIdentity {
  readonly issuer: string;
  /** The permanent ID of the person at this issuer. */
  readonly subject: string;
  /** A name for a new user. */
  readonly name: string;
  readonly rights: Rights;
}

interface ProviderOptions {
  readonly settings: OpenIdSettings;
  readonly agent: GuardedAgent;
  readonly clock: Clock;
  /** Whether claims may grant this plan. */
  readonly knowsPlan: (name: string) => boolean;
  /** A secret of the service, shared by all its nodes. */
  readonly readKey: () => Promise<string>;
}

/**
 * Sign-ins per minute that may be completed with a request to the provider: per network, per block of networks, of all
 * blocks where one has failed lately, and in all.
 */
const PER_NETWORK = 10;
const PER_BLOCK = 30;
const AFTER_FAILURES = 200;
const PER_MINUTE = 300;
/** Milliseconds for which a failure counts, and for which a completed sign-in is not completed again. */
const FAILURE_AGE = 10 * 60_000;
const STATE_AGE = 3_600_000;
/** Networks remembered before idle ones are forgotten. */
const MANY_NETWORKS = 1_000;

/** Milliseconds for which the provider's configuration is reused. */
const DESCRIPTION_AGE = 3_600_000;
/** Seconds by which the provider's clock may be wrong. */
const CLOCK_TOLERANCE = 30;

/**
 * The OpenID Connect provider. It stores nothing about a sign-in: state, nonce and code verifier are derived from a
 * secret in the browser's cookie and one of the service. So any node can complete what another one began, and nobody
 * can forge a sign-in that the service did not begin.
 */
export class OpenIdProvider {
  readonly #options: ProviderOptions;
  readonly #networks = new Allowances(PER_NETWORK, MANY_NETWORKS);
  readonly #blocks = new Allowances(PER_BLOCK, MANY_NETWORKS);
  readonly #failing: Allowance;
  readonly #all: Allowance;
  readonly #failed: Remembered;
  /** The states with which sign-ins came back. */
  readonly #used: Remembered;
  /** Claims of the settings that have come with a sign-in. */
  readonly #arrived = new Set<string>();
  readonly #configuration: () => Promise<client.Configuration>;

  constructor(options: ProviderOptions) {
    this.#options = options;
    const now = () => options.clock.monotonic();
    this.#all = { left: PER_MINUTE, at: now() };
    this.#failing = { left: AFTER_FAILURES, at: now() };
    this.#failed = new Remembered(now);
    this.#used = new Remembered(now);
    this.#configuration = remembered(async () => await this.#discover(), DESCRIPTION_AGE, now);
  }

  /** The provider's name on the button. */
  get name(): string {
    return this.#options.settings.name;
  }

  /** Whether the provider can be used, and sends what the settings need. Never rejects. */
  async examine(): Promise<HealthFinding[]> {
    const { settings } = this.#options;
    try {
      const { claims_supported: claims } = (await this.#configuration()).serverMetadata();
      return claimFindings(settings, { claims, arrived: this.#arrived });
    } catch (error) {
      return [providerFault(error, settings)];
    }
  }

  /** The provider's address to sign in at. @throws ProviderError */
  async begin(secret: string, redirectUri: string): Promise<URL> {
    const { state, nonce, verifier } = await this.#partsOf(secret);
    try {
      return client.buildAuthorizationUrl(await this.#configuration(), {
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
   * Completes a sign-in, once. @param answer the address to which the provider sent the browser; `network`: of the browser
   * @throws ProviderError
   */
  async finish(answer: URL, secret: string, network: string): Promise<ProviderIdentity> {
    const { state, nonce, verifier } = await this.#partsOf(secret);
    if (answer.searchParams.get('state') !== state) throw new ProviderError('stale', 'unexpected state');
    if (this.#used.has(state)) throw new ProviderError('stale', 'this sign-in has come back before');
    this.#spend(network);
    this.#used.note(state, STATE_AGE);
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await client.authorizationCodeGrant(await this.#configuration(), answer, checks);
      const claims = tokens.claims();
      if (!claims) throw new ProviderError('invalid', 'there is no ID token');
      return this.#identity(await this.#completed(claims, tokens.access_token), claims);
    } catch (error) {
      this.#failed.note(blockOf(network), FAILURE_AGE);
      throw asProviderError(error);
    }
  }

  #spend(network: string): void {
    const at = this.#options.clock.monotonic();
    const block = blockOf(network);
    refill(this.#all, PER_MINUTE, at);
    refill(this.#failing, AFTER_FAILURES, at);
    const limits = [this.#networks.of(network, at), this.#blocks.of(block, at), this.#all];
    if (this.#failed.has(block)) limits.push(this.#failing);
    if (limits.some(({ left }) => left < 1)) throw new ProviderError('busy', 'too many sign-ins');
    for (const limit of limits) limit.left--;
  }

  /** The secrets of a sign-in, derived from that of its browser and that of the service. None reveals another. */
  async #partsOf(secret: string): Promise<{ state: string; nonce: string; verifier: string }> {
    const key = await this.#options.readKey();
    const part = (name: string) => createHmac('sha256', key).update(`${name}:${secret}`).digest('base64url');
    return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
  }

  #identity(claims: Claims, { iss, sub }: { readonly iss: string; readonly sub: string }): ProviderIdentity {
    const { settings, knowsPlan } = this.#options;
    // Otherwise, everyone with an empty sub would be one person.
    if (sub === '') throw new ProviderError('invalid', 'the claim sub is empty');
    for (const name of claimsAskedFor(settings))
      if (claimOf(claims, name) !== undefined) this.#arrived.add(name);
    if (settings.requiredClaim && !passes(claims, settings.requiredClaim))
      throw new ProviderError(
        'not_allowed',
        `the claim ${settings.requiredClaim.claim} does not have the required value`,
      );
    return { issuer: iss, subject: sub, name: nameIn(claims), rights: rightsIn(claims, settings, knowsPlan) };
  }

  /** Some providers return groups and the like only in answer to another request with the token. */
  async #completed(claims: Claims & { readonly sub: string }, accessToken: string): Promise<Claims> {
    const configuration = await this.#configuration();
    const missing = claimsAskedFor(this.#options.settings).some(
      (name) => claimOf(claims, name) === undefined,
    );
    if (!missing || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await client.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  async #discover(): Promise<client.Configuration> {
    const { settings, agent, clock } = this.#options;
    const isPlain = new URL(settings.issuer).protocol === 'http:';
    const metadata = {
      [client.clockTolerance]: CLOCK_TOLERANCE,
      [client.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
    };
    const auth = clientAuth(settings.clientSecret);
    return await client.discovery(new URL(settings.issuer), settings.clientId, metadata, auth, {
      [client.customFetch]: guardedFetch(agent),
      execute: [
        ...(isPlain ? [client.allowInsecureRequests] : []),
        client.enableNonRepudiationChecks, // ID tokens prove themselves, however they came
      ],
    });
  }
}

/** The usual way for a client to authenticate, unless the provider accepts only the other one. */
function clientAuth(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = ways.includes('client_secret_basic')
      ? client.ClientSecretBasic
      : client.ClientSecretPost;
    authenticate(secret)(server, ...rest);
  };
}
