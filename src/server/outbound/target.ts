import { isIP } from 'node:net';
import { PROXY_REFUSED } from '../../base/error-reasons.ts';
import { checkAddress, type Network, parseNetwork } from './addresses.ts';

/** Why an outbound request got no usable answer. */
export type OutboundFault =
  | 'bad_url'
  | 'address_refused'
  | 'port_refused'
  | 'unresolved'
  | 'unreachable'
  | 'broken_off'
  | 'timeout'
  | 'too_large'
  | 'encoded'
  | 'too_many_redirects';

/**
 * A failed outbound request. The message is for the user who named the address: it never reveals the address behind a
 * name. `cause` may, and is only for the operator.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundFault;

  constructor(code: OutboundFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const FAULTS: Readonly<Record<string, readonly [OutboundFault, string]>> = {
  ECONNREFUSED: ['unreachable', 'connection refused'],
  EHOSTUNREACH: ['unreachable', 'no route to the host'],
  ENETUNREACH: ['unreachable', 'no route to the host'],
  ETIMEDOUT: ['unreachable', 'the connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', 'the connection timed out'],
  ECONNRESET: ['broken_off', 'the connection was reset'],
  UND_ERR_SOCKET: ['broken_off', 'the connection was closed'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'the headers of its answer are too long'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'the request timed out'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the answer stalled'],
  [PROXY_REFUSED]: ['unreachable', 'no route to the host'],
};

/** Turns any error from talking to `host` into one whose message may be shown. */
export function asOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code, name } = error as { code?: unknown; name?: unknown };
  const word = name === 'HTTPParserError' && code === undefined ? 'HPE_' : String(code);
  const [fault, reason] = FAULTS[word] ?? ['broken_off', reasonOf(word)];
  return new OutboundError(fault, `${host} could not be reached: ${reason}.`, error);
}

function reasonOf(code: string): string {
  if (code.startsWith('HPE_')) return 'its answer is not HTTP';
  const isAboutTls = /CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code);
  return isAboutTls ? 'its certificate is invalid, or it does not speak TLS' : 'the connection failed';
}

/** The addresses that the service may connect to. */
export interface OutboundPolicy {
  /** Networks that are allowed although they are private, on any port unless they have one. */
  readonly networks: readonly Network[];
  /** Ports that are allowed on all addresses. */
  readonly ports: readonly number[] | 'all';
}

/** Ports of the web. */
export const WEB_PORTS: readonly number[] = [80, 443];
/** Longest allowed URL, in characters: a redirect may name any. */
const MAX_LENGTH = 2_048;

/**
 * Parses an address, and checks it as far as possible before its name is looked up.
 * @throws OutboundError `bad_url`, `address_refused`, `port_refused`
 */
export function parseTarget(text: string, policy: OutboundPolicy, base?: URL): URL {
  const url = text.length > MAX_LENGTH ? null : URL.parse(text, base?.href);
  if (!url) throw new OutboundError('bad_url', 'This is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('bad_url', 'Only http and https URLs are allowed.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('bad_url', 'The URL must not contain a user name or password.');
  }
  const address = literalOf(url.hostname);
  if (address !== undefined) allowedAddresses([address], { host: url.hostname, port: portOf(url), policy });
  else if (policy.networks.length === 0) verifyPort(portOf(url), policy);
  return url;
}

/** The destination of a connection. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly policy: OutboundPolicy;
}

/**
 * The host's addresses that the service may connect to on this port.
 * @throws OutboundError `address_refused`, `port_refused` if there are none
 */
export function allowedAddresses(
  addresses: readonly string[],
  { host, port, policy }: Destination,
): string[] {
  const networks = policy.networks.filter(([, , only = port]) => only === port);
  const checked = addresses.map((address) => ({ address, ...checkAddress(address, networks) }));
  const reachable = checked.filter((one) => one.allowed);
  if (reachable.length === 0) {
    const why = checked.find((one) => !one.allowed)?.why ?? 'no address';
    // Reveal no more about a name than this: its internal address is private.
    const message =
      literalOf(host) === undefined
        ? `${host} has a private address, and this service does not connect to those.`
        : `${host} is ${why}, and this service does not connect to those.`;
    throw new OutboundError('address_refused', message);
  }
  const chosen = reachable.filter(({ isOwn }) => isOwn || isOpen(port, policy));
  if (chosen.length === 0) verifyPort(port, policy);
  return chosen.map(({ address }) => address);
}

/** The IP address in a URL's host; undefined if the host is a name. */
export function literalOf(host: string): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function isOpen(port: number, { ports }: OutboundPolicy): boolean {
  return ports === 'all' || ports.includes(port);
}

function verifyPort(port: number, { ports }: OutboundPolicy): void {
  if (ports === 'all' || ports.includes(port)) return;
  throw new OutboundError('port_refused', `Only ports ${ports.join(' and ')} are allowed, not ${port}.`);
}

/**
 * The policy of the service: the web, and the networks that its operator allows.
 * @throws Error if one of them is malformed
 */
export function outboundPolicy(settings: {
  readonly allowedNetworks?: readonly string[] | undefined;
}): OutboundPolicy & { readonly ports: readonly number[] } {
  const { allowedNetworks = [] } = settings;
  return { networks: allowedNetworks.map(parseNetwork), ports: WEB_PORTS };
}
