import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { OpenIdSettings } from '../../../src/server/openid/claims.ts';

const CLIENT_ID = 'skinsmith';
const CLIENT_SECRET = 'a client secret: + & %';

/** One for all tests of a file: making a key takes a while. */
const KEYS = [makeKey('right'), makeKey('wrong')] as const;

function makeKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } };
}

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An OpenID Connect provider on the loopback network, with own keys. Everyone who signs in is the person in `claims`. */
export class FakeProvider {
  url = '';
  clock: Pick<Clock, 'now'> = systemClock;
  /** Its claims about the next person who signs in. */
  claims: Readonly<Record<string, unknown>> = { sub: 'person-1', preferred_username: 'anna' };
  /** The claims that it says it may send; undefined: it does not say. */
  lists: readonly string[] | undefined;
  /** Claims that need the access token. */
  userInfo: Readonly<Record<string, unknown>> | undefined;
  /** Wrong claims for the next ID token. */
  wrongClaims: Readonly<Record<string, unknown>> = {};
  /** Signs with a key that it does not publish. */
  signsWrongly = false;
  /** Refuses access tokens that it has just issued. */
  refusesTokens = false;
  /** Accepts codes again. */
  isLenient = false;
  /** Ends connections without an answer. */
  isDown = false;
  /** Answers with a redirect (302) to this address. */
  leadsTo: string | undefined;
  /** Paths requested so far, without their queries. */
  readonly asked: string[] = [];
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, Grant>();

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    const server = createServer((request, response) => void provider.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await sleep(0); // its handle lives one turn of the event loop longer
    });
    return provider;
  }

  /** Settings of a service that trusts it. */
  settings(more: Partial<OpenIdSettings> = {}): OpenIdSettings {
    const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
    return { issuer: this.url, ...client, name: 'Example', scopes: 'openid profile', ...more };
  }

  /** The address to which the browser of a person who agrees is redirected. */
  approve(location: string): string {
    const { origin, pathname, searchParams: query } = new URL(location);
    const redirectUri = query.get('redirect_uri') ?? '';
    const isSound =
      `${origin}${pathname}` === `${this.url}/authorize` &&
      query.get('client_id') === CLIENT_ID &&
      query.get('response_type') === 'code' &&
      query.get('scope')?.split(' ').includes('openid') &&
      query.get('code_challenge_method') === 'S256';
    if (!isSound) throw new Error(`This is no request for a sign-in: ${location}`);
    const code = randomBytes(16).toString('hex');
    const [challenge, nonce] = [query.get('code_challenge') ?? '', query.get('nonce') ?? ''];
    this.#grants.set(code, { redirectUri, challenge, nonce, claims: this.claims });
    const back = new URL(redirectUri);
    back.search = `${new URLSearchParams({ code, state: query.get('state') ?? '', iss: this.url })}`;
    return back.href;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    this.asked.push(url.pathname);
    if (this.isDown) {
      request.socket.destroy();
      return;
    }
    const body = new URLSearchParams(await text(request));
    if (this.leadsTo !== undefined) redirect(response, this.leadsTo);
    else if (url.pathname === '/authorize') redirect(response, this.approve(url.href));
    else json(response, ...this.#document(url.pathname, request.headers, body));
  }

  #document(path: string, headers: IncomingHttpHeaders, form: URLSearchParams): [unknown, number] {
    if (path === '/.well-known/openid-configuration') return [this.#description(), 200];
    if (path === '/keys') return [{ keys: [KEYS[0].jwk] }, 200];
    if (path === '/token') return this.#redeem(headers, form);
    if (path === '/userinfo') return this.#tell(headers);
    return [{}, 404];
  }

  #description(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      ...(this.userInfo && { userinfo_endpoint: `${this.url}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...(this.lists && { claims_supported: this.lists }),
    };
  }

  /** Accepts each code once, unless it is lenient, from the client that it was made for, with the verifier of its challenge. */
  #redeem(headers: IncomingHttpHeaders, form: URLSearchParams): [unknown, number] {
    const [id, secret] = Buffer.from(String(headers.authorization).slice(6), 'base64').toString().split(':');
    const decoded = decodeURIComponent((secret ?? '').replaceAll('+', ' '));
    if (id !== CLIENT_ID || decoded !== CLIENT_SECRET) return [{ error: 'invalid_client' }, 401];
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    if (!this.isLenient) this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isSound = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri');
    if (!grant || !isSound) return [{ error: 'invalid_grant' }, 400];
    const token = randomBytes(16).toString('hex');
    this.#tokens.set(token, grant);
    return [{ access_token: token, token_type: 'Bearer', id_token: this.#idToken(grant) }, 200];
  }

  #idToken({ nonce, claims }: Grant): string {
    const now = Math.floor(this.clock.now() / 1000);
    const standard = { iss: this.url, aud: CLIENT_ID, iat: now, exp: now + 300, nonce };
    const [right, wrong] = KEYS;
    const { privateKey } = this.signsWrongly ? wrong : right;
    const head = encoded({ alg: 'RS256', kid: right.kid });
    const content = `${head}.${encoded({ ...standard, ...claims, ...this.wrongClaims })}`;
    return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`;
  }

  #tell(headers: IncomingHttpHeaders): [unknown, number] {
    const grant = this.#tokens.get(String(headers.authorization).slice('Bearer '.length));
    if (!grant || this.refusesTokens) return [{ error: 'invalid_token' }, 401];
    return [{ sub: grant.claims['sub'], ...this.userInfo }, 200];
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function json(response: ServerResponse, body: unknown, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}
