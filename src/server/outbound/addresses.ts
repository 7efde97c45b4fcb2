import { isIP } from 'node:net';
import type { IPv4, IPv6 } from 'ipaddr.js';
import ipaddr from 'ipaddr.js';

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
