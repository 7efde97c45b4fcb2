import { networkCode, ProxyError } from '../../base/error-reasons.ts';
import type { ServiceError } from '../../client/errors.ts';

/** How the user named the service and its key, so that hints lead to that service and to that key. A command's context does. */
export interface ServiceNaming {
  /** The address typed with `--base-url`. */
  readonly flags?: { readonly baseUrl?: string | undefined };
  readonly env?: NodeJS.ProcessEnv;
}

const WORD = /^[\w.:/%[\]-]+$/;

/** The command, for the service that the user typed. */
export function forService(command: string, { flags }: ServiceNaming): string {
  const baseUrl = flags?.baseUrl;
  if (baseUrl === undefined) return command;
  // Hints are copied into a shell, so they repeat nothing that a shell would not read as a plain word.
  return `${command} --base-url ${WORD.test(baseUrl) ? baseUrl : '<url>'}`;
}

/** Where to correct the address of the service. */
export function addressHint({ flags, env }: ServiceNaming): string {
  if (flags?.baseUrl !== undefined) return 'Check the address given with --base-url.';
  if (env?.['SKINSMITH_BASE_URL']) return 'Check the address in SKINSMITH_BASE_URL.';
  return 'Check the address: skinsmith config get base-url';
}

const CLOCK = 'If it is valid, the clock of this machine is wrong.';

/** What to do about certificates that are not accepted, by Node's code. The others are from unknown authorities. */
const CERTIFICATES: Readonly<Record<string, (naming: ServiceNaming) => string>> = {
  CERT_HAS_EXPIRED: () => `It has expired: the operator of the service should renew it. ${CLOCK}`,
  CERT_NOT_YET_VALID: () => `It is not valid yet. ${CLOCK}`,
  CERT_REVOKED: () => 'Its authority has revoked it: the operator of the service should replace it.',
  ERR_TLS_CERT_ALTNAME_INVALID: (naming) => `It is for another host name. ${addressHint(naming)}`,
};

export function certificateHint(error: unknown, naming: ServiceNaming): string {
  const code = networkCode(error);
  if (Object.hasOwn(CERTIFICATES, code)) return CERTIFICATES[code]?.(naming) ?? '';
  if (naming.env?.['NODE_EXTRA_CA_CERTS'])
    return 'The file in NODE_EXTRA_CA_CERTS does not have the authority that issued it.';
  if (error instanceof ProxyError)
    return 'If the proxy inspects connections, set NODE_EXTRA_CA_CERTS to the file with its certificate authority.';
  return 'If you use your own certificate authority, set NODE_EXTRA_CA_CERTS.';
}

/** For an error of a connection through a proxy. */
export const PROXY_HINT = 'Check the proxy, or name the host in NO_PROXY to reach it directly.';

/** How to use the service at another address. */
export function otherAddressHint(address: string, { flags, env }: ServiceNaming): string {
  if (flags?.baseUrl !== undefined) return `--base-url ${address}`;
  if (env?.['SKINSMITH_BASE_URL']) return `SKINSMITH_BASE_URL=${address}`;
  return `skinsmith config set base-url ${address}`;
}

/** Refusals of a key that the service knows, by its messages: what is wrong with the key, and what to do. */
const BINDINGS: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  'Client not allowed': [
    'is valid, but not from the address of this machine',
    'Allow the address where the key is managed; on skinsmith: skinsmith keys edit <id> --allow-ip <address>',
  ],
  'Origin not allowed': [
    'only works from web pages of certain origins, not from a command',
    'Use another key, or remove the origins; on skinsmith: skinsmith keys edit <id> --any-origin',
  ],
  'Agent not allowed': [
    "is valid, but not for this program's User-Agent",
    'Set the name that the key allows: skinsmith config set user-agent <name>/1.0',
  ],
};

/** Undefined unless the service refuses the key only because of where it is used. */
export function bindingOf({
  answer: { errors },
}: ServiceError): { readonly problem: string; readonly hint: string } | undefined {
  const [first, ...others] = errors;
  const binding = others.length === 0 && Object.hasOwn(BINDINGS, first?.message ?? '');
  if (!binding || first === undefined) return undefined;
  const [problem = '', hint = ''] = BINDINGS[first.message] ?? [];
  return { problem: `${problem}: ${first.message}.`, hint };
}

const CI_KEY = 'Set SKINSMITH_API_KEY to an API key of this service, from a secret of the CI.';

/** How to send a key that the service accepts. */
export function validKeyHint(naming: ServiceNaming): string {
  const login = forService('skinsmith login', naming);
  if (!naming.env?.['SKINSMITH_API_KEY']?.trim() && naming.env?.['CI']) return CI_KEY;
  if (!naming.env?.['SKINSMITH_API_KEY']?.trim())
    return `Store a key that is valid for this service: ${login}`;
  return `SKINSMITH_API_KEY holds the key that was sent. Set it to a key of this service, or unset it and store one: ${login}`;
}

/** How to send a key if none was sent. In CI, nobody can type one. */
export function signInHint(naming: ServiceNaming): string {
  if (naming.env?.['CI']) return CI_KEY;
  return `Sign in first: ${forService('skinsmith login', naming)}`;
}

type Hint = (error: ServiceError, naming: ServiceNaming) => string | undefined;

const HINTS: Readonly<Record<string, Hint>> = {
  invalid_api_key: (error, naming) => bindingOf(error)?.hint ?? validKeyHint(naming),
  unauthorized: (_, naming) => signInHint(naming),
  job_limit: (_, naming) =>
    `All your slots in the queue are taken. List your jobs: ${forService('skinsmith jobs', naming)}`,
  rate_limit: () => 'Wait a minute and try again.',
  job_not_found: (_, naming) =>
    `List the jobs that the service still knows: ${forService('skinsmith jobs', naming)}`,
  insufficient_grants: grantsHint,
  not_found: ({ answer: { path } }, naming) => (isOfVersion2(path) ? addressHint(naming) : undefined),
  invalid_cape: (_, naming) => `List the capes: ${forService('skinsmith capes list', naming)}`,
};

/** What to do about a refusal; undefined where that depends on more than its code. */
export function serviceHint(error: ServiceError, naming: ServiceNaming): string | undefined {
  return Object.hasOwn(HINTS, error.code) ? HINTS[error.code]?.(error, naming) : undefined;
}

/** Every v2 service has such paths: the one that lacks them is at another address. */
function isOfVersion2(path: string): boolean {
  return path.includes('/v2/');
}

/** The key lacks a scope, which a skinsmith service names, or the plan lacks something. */
function grantsHint({ message }: ServiceError, naming: ServiceNaming): string {
  const [, scope] = /\bthe scope (\w+)/.exec(message) ?? [];
  if (scope === 'operator') return "Use an operator's key with that scope.";
  if (scope === undefined) return `Show what your plan allows: ${forService('skinsmith whoami', naming)}`;
  const create = forService(`skinsmith keys create --scope ${scope}`, naming);
  return `Use a key with that scope. A key with the scope account can create one: ${create}`;
}
