import { hash } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SCOPES, type Scope } from '../../../protocol/api-key.ts';
import { parseAddress, parseUnmapped } from '../../outbound/target.ts';
import type { ApiKeyRow, UserRow } from '../../store/schema/tables.ts';
import type { Plan, Plans } from '../plans.ts';
import { Refusal } from '../refusal.ts';

/** The origin of a request: its address and what its headers claim. */
export interface Origins {
  readonly address: string;
  /** The Origin header. */
  readonly origin: string | undefined;
  /** User-Agent and the headers that replace it. */
  readonly agents: readonly (string | undefined)[];
}

/** Where an API key may be used. Empty lists mean no restriction. */
export interface KeyBindings {
  /** IP addresses and networks (CIDR), origins, and product names of user agents that may use it. */
  readonly allowedIps: string[];
  readonly allowedOrigins: string[];
  readonly allowedAgents: string[];
}

/** Refuses a key that is used outside its bindings. @throws Refusal `invalid_api_key` */
export function verifyBindings(
  { allowedIps, allowedOrigins, allowedAgents }: KeyBindings,
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
  // Behind a proxy, the address comes from a header with any text.
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

/** The caller. `owner` identifies its jobs, skins and usage. */
export type Caller = AnonymousCaller | UserCaller;

export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly owner: string;
  readonly plan: Plan;
  /** What its address counts as; never stored. */
  readonly network: string;
  /** Origin of the calling web page; undefined for other programs. */
  readonly page: string | undefined;
}

export interface UserCaller {
  readonly kind: 'user';
  readonly owner: string;
  readonly plan: Plan;
  readonly id: string;
  readonly name: string;
  /** Whether it is an operator whose key has that scope. */
  readonly isOperator: boolean;
  /** The API key of the request; undefined for the owner of an embedded service. */
  readonly key?: CallerKey;
}

/** An API key as the service uses it. */
export interface CallerKey extends KeyBindings {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly scopes: readonly Scope[];
  /** Its version 1 requests go through the queue of version 2. */
  readonly v2Compat: boolean;
  /** Its stored hash; never shown. */
  readonly hash: string;
}

/** The prefix of owners that are callers without a key. */
export const ANONYMOUS_OWNERS = 'address:';

/**
 * An anonymous caller, identified by its IP address. An IPv6 caller has a whole /64, which counts as one address. The
 * address itself is not stored.
 */
export function anonymousCaller(
  { address, origin }: Pick<Origins, 'address' | 'origin'>,
  plans: Plans,
): AnonymousCaller {
  const network = networkOf(address);
  return { kind: 'anonymous', owner: anonymousOwner(network), plan: plans.anonymous, network, page: origin };
}

function anonymousOwner(network: string): string {
  return `${ANONYMOUS_OWNERS}${hash('sha256', network).slice(0, 32)}`;
}

/** The viewer ID of the caller. A /48 of IPv6 counts as one viewer, because one person may have all of it. */
export function viewerOf(caller: Caller): string {
  if (caller.kind === 'user' || !caller.network.includes(':')) return caller.owner;
  return anonymousOwner(caller.network.split(':').slice(0, 3).join(':'));
}

/** The owner id of a user's jobs, skins and usage. */
export function ownerOf(userId: string): string {
  return `${USER_OWNERS}${userId}`;
}

const USER_OWNERS = 'user:';

/** The user that an owner is; undefined: a caller without a key. */
export function userIdOf(owner: string): string | undefined {
  return owner.startsWith(USER_OWNERS) ? owner.slice(USER_OWNERS.length) : undefined;
}

export function userCaller(user: UserRow, plans: Plans, key?: ApiKeyRow): UserCaller {
  const used = key && callerKey(key);
  return {
    kind: 'user',
    owner: ownerOf(user.id),
    plan: plans.named(user.plan),
    id: user.id,
    name: user.name,
    isOperator: user.role === 'operator' && (used?.scopes.includes('operator') ?? true),
    ...(used && { key: used }),
  };
}

/** Rows are cached between requests, so their lists are parsed once. */
const parsedKeys = new WeakMap<ApiKeyRow, CallerKey>();

export function callerKey(row: ApiKeyRow): CallerKey {
  const known = parsedKeys.get(row);
  if (known) return known;
  const key = parseKey(row);
  parsedKeys.set(row, key);
  return key;
}

function parseKey(row: ApiKeyRow): CallerKey {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    allowedIps: JSON.parse(row.allowed_ips) as string[],
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    allowedAgents: JSON.parse(row.allowed_agents) as string[],
    scopes: JSON.parse(row.scopes) as Scope[],
    v2Compat: row.v2_compat === 1,
    hash: row.hash,
  };
}

/** The caller as a user. @throws Refusal `unauthorized` for anonymous callers */
export function requireUser(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new Refusal(
    'unauthorized',
    'This request requires an API key. Send it as "Authorization: Bearer <key>".',
  );
}

/** @throws Refusal `unauthorized`, `insufficient_grants` */
export function requireOperator(caller: Caller): UserCaller {
  const user = requireUser(caller);
  if (user.isOperator) return user;
  throw new Refusal(
    'insufficient_grants',
    'Only an operator of this service may do that, with a key that has the scope operator.',
  );
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

/** Default scopes of a key that is bound to places or programs, because others may hold it too. */
const FOR_BOUND_KEYS: readonly Scope[] = ['read', 'generate', 'skins'];

/** Default scopes of a new key. */
export function usualScopes({ isBound, isOperator }: { isBound: boolean; isOperator: boolean }): Scope[] {
  if (isBound) return [...FOR_BOUND_KEYS];
  return SCOPES.filter((scope) => isOperator || scope !== 'operator');
}

/** Whether the caller's key has the scope. Callers without a key are not limited by scopes. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  if (caller.kind === 'anonymous' || caller.key === undefined) return true;
  return caller.key.scopes.includes(scope);
}

/** @throws Refusal `insufficient_grants` if the caller's key has none of the scopes */
export function requireScope(caller: Caller, ...scopes: readonly Scope[]): void {
  if (scopes.some((scope) => hasScope(caller, scope))) return;
  throw new Refusal('insufficient_grants', `This API key does not have the scope ${scopes.join(' or ')}.`);
}
