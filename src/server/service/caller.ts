import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ApiKeyRow, UserRow } from '../store/tables.ts';
import type { Plan, Plans } from './plans.ts';
import { Refusal } from './refusal.ts';

/** Who is asking. `owner` is what jobs, skins and usage are kept under. */
export type Caller = AnonymousCaller | UserCaller;

export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly owner: string;
  readonly plan: Plan;
}

export interface UserCaller {
  readonly kind: 'user';
  readonly owner: string;
  readonly plan: Plan;
  readonly id: string;
  readonly name: string;
  readonly isOperator: boolean;
  /** The API key it calls with; undefined for the session of an embedded service. */
  readonly key?: CallerKey;
}

/** An API key as the service uses it. Empty lists allow all. */
export interface CallerKey {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Addresses and networks (CIDR), origins, and product names of user agents that it may be used from. */
  readonly allowedIps: string[];
  readonly allowedOrigins: string[];
  readonly allowedAgents: string[];
  /** Version 1 requests with it go through the queue of version 2. */
  readonly v2Compat: boolean;
  /** What is stored of it; never to be shown. */
  readonly hash: string;
}

/**
 * A caller without a key, known by the address it calls from. An IPv6 caller has a whole /64 to call
 * from, so that much counts as one address. The address itself is not kept.
 */
export function anonymousCaller(address: string, plans: Plans): AnonymousCaller {
  const place = createHash('sha256').update(networkOf(address)).digest('hex').slice(0, 32);
  return { kind: 'anonymous', owner: `address:${place}`, plan: plans.named('anonymous') };
}

export function userCaller(user: UserRow, plans: Plans, key?: ApiKeyRow): UserCaller {
  return {
    kind: 'user',
    owner: `user:${user.id}`,
    plan: plans.named(user.plan),
    id: user.id,
    name: user.name,
    isOperator: user.role === 'operator',
    ...(key && { key: callerKey(key) }),
  };
}

export function callerKey(row: ApiKeyRow): CallerKey {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    allowedIps: JSON.parse(row.allowed_ips) as string[],
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    allowedAgents: JSON.parse(row.allowed_agents) as string[],
    v2Compat: row.v2_compat === 1,
    hash: row.hash,
  };
}

/** The caller as a user. @throws Refusal `unauthorized` for anonymous callers */
export function requireUser(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new Refusal('unauthorized', 'This needs an API key: send it as "Authorization: Bearer <key>".');
}

/** @throws Refusal `unauthorized`, `insufficient_grants` */
export function requireOperator(caller: Caller): UserCaller {
  const user = requireUser(caller);
  if (user.isOperator) return user;
  throw new Refusal('insufficient_grants', 'Only the operator of this service may do that.');
}

/** An address as a proxy may write it: some add the port, which is another with each connection. */
const WITH_PORT = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

function networkOf(address: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  const bare = ipv6 ?? ipv4 ?? address;
  if (isIP(bare) === 0) return bare;
  const parsed = ipaddr.process(bare); // an IPv4 address mapped into IPv6 is that address
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
