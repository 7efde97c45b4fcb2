import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

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
