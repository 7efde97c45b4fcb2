import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseAddress, parseUnmapped } from '../../outbound/ip-address.ts';
import { Refusal } from '../refusals/refusal.ts';

/** The origin of a request: its address and what its headers claim. */
export interface Origins {
  readonly address: string;
  /** The Origin header. */
  readonly origin: string | undefined;
  /** User-Agent and the headers that replace it. */
  readonly agents: readonly (string | undefined)[];
}

/** Where an API key may be used. Empty lists mean no restriction. */
export interface Bindings {
  /** IP addresses and networks (CIDR), origins, and product names of user agents that may use it. */
  readonly allowedIps: string[];
  readonly allowedOrigins: string[];
  readonly allowedAgents: string[];
}

/** Refuses a key that is used outside its bindings. @throws Refusal `invalid_api_key` */
export function verifyBindings(
  { allowedIps, allowedOrigins, allowedAgents }: Bindings,
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

/** `network`: an address, or a network in CIDR notation. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function isInside(address: string, network: string): boolean {
  // Behind a proxy the address comes from a header, which may hold any text.
  if (isIP(address) === 0) return false;
  const from = parseUnmapped(address);
  const to = parseNetwork(network);
  return from.kind() === to.base.kind() && from.match(to.base, to.bits);
}

/** Whether one network contains all addresses of the other. */
export function isWithin(network: string, other: string): boolean {
  const [inner, outer] = [parseNetwork(network), parseNetwork(other)];
  if (inner.base.kind() !== outer.base.kind()) return false;
  return inner.bits >= outer.bits && inner.base.match(outer.base, outer.bits);
}

function parseNetwork(network: string): { base: ipaddr.IPv4 | ipaddr.IPv6; bits: number } {
  const [address = '', bits] = network.split('/');
  const parsed = parseAddress(address);
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
  const base = isMapped ? parsed.toIPv4Address() : parsed;
  const whole = base.kind() === 'ipv4' ? 32 : 128;
  return { base, bits: bits === undefined ? whole : Math.max(0, Number(bits) - (isMapped ? 96 : 0)) };
}

/** `MyApp` of `MyApp/1.0 (…)`. */
export function productOf(agent: string): string {
  return agent.trim().split(/[/\s]/, 1)[0] ?? '';
}
