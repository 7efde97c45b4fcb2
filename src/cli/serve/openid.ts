import { InvalidArgumentError } from 'commander';
import type { ClaimTest, OpenIdSettings } from '../../server/server.ts';
import { allowsInsecureHttp } from '../connection/connect.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { refuseCredentials } from '../options/option-values.ts';
import { readSecretFile } from '../terminal/read-input.ts';

/** Command-line options for the provider that people sign in with. */
export interface OpenIdOptions {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcSecretFile?: string;
  readonly oidcName?: string;
  readonly oidcScopes?: string;
  readonly oidcPlanClaim?: string;
  readonly oidcOperatorClaim?: ClaimTest;
  readonly oidcRequireClaim?: ClaimTest;
}

type Surroundings = Pick<CommandContext, 'env'> & Partial<Pick<CommandContext, 'flags' | 'io' | 'signal'>>;

/** Not the shortened form that other addresses get: a slash at the end belongs to an issuer. */
export function issuer(text: string): string {
  refuseCredentials(text);
  if (isIssuer(text)) return text;
  throw new InvalidArgumentError('It must be an address like https://accounts.example.org.');
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.includes('@') || url.search || url.hash) return false;
  return /^https?:$/.test(url.protocol);
}

/** `groups=skins`, or the name of a claim that is true. */
export function claimTest(text: string): ClaimTest {
  const [claim = '', ...value] = text.split('=');
  const isSound = claim !== '' && (value.length === 0 || value.join('=') !== '');
  if (isSound) return { claim, value: value.length === 0 ? undefined : value.join('=') };
  throw new InvalidArgumentError('It must be the name of a claim, or a name and a value like groups=skins.');
}

/** The provider's configuration; options override the environment. Undefined if there is none. @throws CliError */
export async function chooseOpenId(
  typed: OpenIdOptions & { readonly pages?: boolean },
  surroundings: Surroundings,
): Promise<OpenIdSettings | undefined> {
  const { env } = surroundings;
  const address = typed.oidcIssuer ?? issuerIn(env['SKINSMITH_OIDC_ISSUER']);
  if (address === undefined) {
    if (isTyped(typed))
      throw wrong('The options --oidc-… need the address of the provider.', 'Add: --oidc-issuer URL');
    return undefined;
  }
  const clientId = typed.oidcClientId ?? env['SKINSMITH_OIDC_CLIENT_ID'];
  if (!clientId) throw wrong('Sign-in by OpenID Connect needs a client ID.', 'Add: --oidc-client-id ID');
  if (typed.pages === false)
    throw wrong('Sign-in by OpenID Connect needs the pages.', 'Leave out --no-pages or --oidc-issuer');
  verifyPrivacy(address, surroundings);
  return {
    issuer: address,
    clientId,
    clientSecret: await secretOf(typed, surroundings),
    name: typed.oidcName ?? new URL(address).hostname,
    scopes: scopesOf(typed),
    planClaim: typed.oidcPlanClaim,
    operatorClaim: typed.oidcOperatorClaim,
    requiredClaim: typed.oidcRequireClaim,
  };
}

function isTyped(typed: object): boolean {
  return Object.entries(typed).some(([name, value]) => name.startsWith('oidc') && value !== undefined);
}

function issuerIn(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (isIssuer(text)) return text;
  throw wrong('SKINSMITH_OIDC_ISSUER must be an address like https://accounts.example.org.');
}

/** The client secret and the tokens would cross the network in plain text. */
function verifyPrivacy(address: string, { env, flags = {} }: Surroundings): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return;
  if (allowsInsecureHttp({ env, flags })) return;
  throw wrong(
    `${address} is not encrypted.`,
    'Use an https address, or --insecure-http for a network you trust',
  );
}

function scopesOf({ oidcScopes = 'openid profile email' }: OpenIdOptions): string {
  if (oidcScopes.split(' ').includes('openid')) return oidcScopes;
  throw wrong('The scopes of --oidc-scopes must include openid.');
}

/** Never read from the command line, which every user of the machine could see. */
async function secretOf(
  { oidcSecretFile: file }: OpenIdOptions,
  surroundings: Surroundings,
): Promise<string | undefined> {
  const text =
    file === undefined
      ? surroundings.env['SKINSMITH_OIDC_SECRET']
      : await readSecretFile(file, 'client secret', surroundings);
  const secret = text?.trim();
  if (secret === undefined || /^[\x20-\x7e]{1,512}$/.test(secret)) return secret;
  throw wrong(
    `${file ?? 'SKINSMITH_OIDC_SECRET'} does not contain a client secret, which is a single line of text.`,
  );
}

function wrong(message: string, hint?: string): CliError {
  return new CliError('invalid_setting', message, { hint, exit: 'usage' });
}
