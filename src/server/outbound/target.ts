import { isIP, isIPv4 } from 'node:net';
import type { IPv4, IPv6 } from 'ipaddr.js';
import ipaddr from 'ipaddr.js';
import { PROXY_REFUSED } from '../../base/error-reasons.ts';

/**
 * Parses an address, `text`, that `isIP` accepts, without a zone. The library mistakes `::8.8.8.8` for `::ffff:8.8.8.8`,
 * so it never gets an IPv6 address with dots.
 */
export function parseAddress(text: string): IPv4 | IPv6 {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.parse(new URL(`http://[${text.replace(/%.*$/, '')}]`).hostname.slice(1, -1));
}

/** The same; an IPv4 address that is mapped into IPv6 is that address. */
export function parseUnmapped(text: string): IPv4 | IPv6 {
  const address = parseAddress(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** A network that is allowed: its first address, the number of significant leading bits, and the port if it is only one. */
export type Network = readonly [address: IPv4 | IPv6, bits: number, port?: number];

export type CheckedAddress =
  /** `isOwn`: the address is in one of the operator's networks. */
  | { readonly allowed: true; readonly isOwn: boolean }
  /** `why`: the kind of address, as in "a private address". */
  | { readonly allowed: false; readonly why: string };

const PRIVATE = 'a private address';
const LOOPBACK = 'a loopback address';
const LINK_LOCAL = 'a link-local address';
const MULTICAST = 'a multicast address';
const RESERVED = 'a reserved address';
const TRANSLATED = 'a translated address';

/** Descriptions of the ranges that the library distinguishes, except for the ordinary one. */
const RANGES: Readonly<Record<string, string>> = {
  private: PRIVATE,
  uniqueLocal: PRIVATE,
  carrierGradeNat: PRIVATE,
  loopback: LOOPBACK,
  linkLocal: LINK_LOCAL,
  deprecatedSiteLocal: LINK_LOCAL,
  multicast: MULTICAST,
  broadcast: MULTICAST,
  '6to4': TRANSLATED,
  teredo: TRANSLATED,
  rfc6145: TRANSLATED,
};

/** The only block from which internet unicast addresses have been assigned (IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The range of IPv6 addresses that a gateway maps to the IPv4 address in their last 32 bits (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Answers only inside Azure, for the machine itself, although the address is in a public range. */
const AZURE_HOST = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/**
 * Decides whether the service may connect to this address (from DNS or a socket, without brackets). Global unicast
 * addresses are allowed, and any address in the operator's networks. An IPv4 address inside an IPv6 one counts as the
 * IPv4 address.
 */
export function checkAddress(text: string, networks: readonly Network[]): CheckedAddress {
  if (isIP(text) === 0 || text.includes('%')) return { allowed: false, why: RESERVED };
  const address = innermost(parseAddress(text));
  if (networks.some((network) => contains(network, address))) return { allowed: true, isOwn: true };
  const why = address.kind() === 'ipv4' ? whyNotIPv4(address as IPv4) : whyNotIPv6(address as IPv6);
  return why === undefined ? { allowed: true, isOwn: false } : { allowed: false, why };
}

/**
 * Parses a network such as `10.0.0.0/8`, or a single address.
 * @throws Error with a description of the problem
 */
export function parseNetwork(text: string): Network {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  const size = family === 4 ? 32 : 128;
  const count = bits === undefined ? size : Number(bits);
  const isSound =
    family !== 0 && !address.includes('%') && more.length === 0 && /^\d{1,3}$/.test(bits ?? '0');
  if (!isSound || count > size) throw new Error(`"${text}" is not a network like 10.0.0.0/8 or fd00::/8.`);
  return [parseAddress(address), count];
}

function innermost(address: IPv4 | IPv6): IPv4 | IPv6 {
  if (address.kind() === 'ipv4') return address;
  const { parts } = address as IPv6;
  const isMapped = (address as IPv6).isIPv4MappedAddress();
  if (!isMapped && !contains(NAT64, address)) return address;
  return new ipaddr.IPv4(parts.slice(6).flatMap((part) => [part >> 8, part & 0xff]));
}

function whyNotIPv4(address: IPv4): string | undefined {
  if (contains(AZURE_HOST, address)) return LINK_LOCAL;
  return whyNotRange(address.range());
}

function whyNotIPv6(address: IPv6): string | undefined {
  const why = whyNotRange(address.range());
  return why === undefined && !contains(GLOBAL_UNICAST, address) ? RESERVED : why;
}

function whyNotRange(range: string): string | undefined {
  return range === 'unicast' ? undefined : (RANGES[range] ?? RESERVED);
}

function contains([first, bits]: Network, address: IPv4 | IPv6): boolean {
  return first.kind() === address.kind() && address.match(first, bits);
}

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

/** `network`: an address, or a network in CIDR notation. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function isInside(address: string, network: string): boolean {
  // Behind a proxy, the address comes from a header with any text.
  return isIP(address) !== 0 && contains(unmappedNetwork(network), parseUnmapped(address));
}

/** Whether one network contains all addresses of the other. */
export function isWithin(network: string, other: string): boolean {
  const [inner, outer] = [unmappedNetwork(network), unmappedNetwork(other)];
  return inner[1] >= outer[1] && contains(outer, inner[0]);
}

function unmappedNetwork(text: string): Network {
  const [first, bits] = parseNetwork(text);
  const isMapped = first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress();
  return isMapped ? [first.toIPv4Address(), Math.max(0, bits - 96)] : [first, bits];
}

/** An address as a proxy may write it: some append the port, which changes with each connection. */
const WITH_PORT = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** An IPv4 address mapped into IPv6, from sockets that listen on both. */
const MAPPED = '::ffff:';

/** What counts as one address: for IPv6 a whole /64. */
export function networkOf(address: string): string {
  const plain = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
  if (isIPv4(plain)) return plain; // a shortcut, because every new connection needs this
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  const bare = ipv6 ?? ipv4 ?? address;
  if (isIP(bare) === 0) return bare;
  const parsed = parseUnmapped(bare);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The block of IPv6 networks that one person may have all of, a /48; an IPv4 address itself. `network`: from `networkOf` */
export function blockOf(network: string): string {
  return network.includes(':') ? network.split(':').slice(0, 3).join(':') : network;
}
