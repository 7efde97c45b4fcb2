import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { CallerKey } from './caller.ts';
import { Refusal } from './refusal.ts';

/** Where a request comes from and what it says of itself. */
export interface Origins {
  readonly address: string;
  /** The Origin header. */
  readonly origin: string | undefined;
  /** User-Agent and what stands in for it. */
  readonly agents: readonly (string | undefined)[];
}

/** Refuses a key outside the places it is bound to. @throws Refusal `invalid_api_key` */
export function verifyBindings(
  { allowedIps, allowedOrigins, allowedAgents }: CallerKey,
  { address, origin, agents }: Origins,
): void {
  if (allowedIps.length > 0 && !allowedIps.some((network) => isInside(address, network))) {
    throw new Refusal('invalid_api_key', 'Client not allowed');
  }
  if (allowedOrigins.length > 0 && (origin === undefined || !allowedOrigins.includes(origin))) {
    throw new Refusal('invalid_api_key', 'Origin not allowed');
  }
  const products = agents.map((agent) => productOf(agent ?? ''));
  if (allowedAgents.length > 0 && !products.some((product) => allowedAgents.includes(product))) {
    throw new Refusal('invalid_api_key', 'Agent not allowed');
  }
}

/** `network`: an address, or a network in CIDR notation. An IPv4 address mapped into IPv6 is that address. */
function isInside(address: string, network: string): boolean {
  // Behind a proxy the address is what somebody wrote into a header.
  if (isIP(address) === 0) return false;
  const [base = '', bits] = network.split('/');
  const from = ipaddr.process(address);
  const parsed = ipaddr.parse(base);
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
  const to = isMapped ? parsed.toIPv4Address() : parsed;
  if (from.kind() !== to.kind()) return false;
  const whole = to.kind() === 'ipv4' ? 32 : 128;
  return from.match(to, bits === undefined ? whole : Math.max(0, Number(bits) - (isMapped ? 96 : 0)));
}

/** `MyApp` of `MyApp/1.0 (…)`. */
export function productOf(agent: string): string {
  return agent.trim().split(/[/\s]/, 1)[0] ?? '';
}
