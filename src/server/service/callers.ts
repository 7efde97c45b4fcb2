import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { SCOPES, type Scope } from '../../protocol/api-key.ts';
import { blockOf, isInside, networkOf } from '../outbound/target.ts';
import type { Db } from '../store/db.ts';
import type { ApiKeyRow, UserRow } from '../store/schema/tables.ts';
import type { Plan, Plans } from './plans.ts';
import { Refusal } from './refusal.ts';

/** The store, and the clock of what is written to it. */
export interface StoreContext {
  readonly db: Db;
  readonly clock: Clock;
}

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

export interface KeyPower extends KeyBindings {
  readonly scopes: readonly Scope[];
}

/** Why a key may not be used from there; undefined: it may. */
export function brokenBinding(
  { allowedIps, allowedOrigins, allowedAgents }: KeyBindings,
  { address, origin, agents }: Origins,
): string | undefined {
  if (isBinding(allowedIps, (network) => isInside(address, network))) return 'Client not allowed';
  if (isBinding(allowedOrigins, (allowed) => allowed === origin)) return 'Origin not allowed';
  const products = agents.map((agent) => productOf(agent ?? ''));
  return isBinding(allowedAgents, (agent) => products.includes(agent)) ? 'Agent not allowed' : undefined;
}

function isBinding(allowed: readonly string[], isMet: (one: string) => boolean): boolean {
  return allowed.length > 0 && !allowed.some(isMet);
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
export interface CallerKey extends KeyPower {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
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

/** As whom the caller's views are counted. A /48 of IPv6 counts as one viewer, because one person may have all of it. */
export function countedViewer(caller: Caller): string {
  return caller.kind === 'user' ? caller.owner : anonymousOwner(blockOf(caller.network));
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

export function callerKey(row: ApiKeyRow): CallerKey {
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

/**
 * Whose skins and sets the caller finds, whatever their visibility. A key without the scope to read its user's data
 * finds only what everyone finds, as do callers without a key: strangers may share their address.
 */
export function ownerSeenBy(caller: Caller): string | undefined {
  return caller.kind === 'user' && hasScope(caller, 'read') ? caller.owner : undefined;
}

/** @throws Refusal `insufficient_grants` if the caller's key has none of the scopes */
export function requireScope(caller: Caller, ...scopes: readonly Scope[]): void {
  if (scopes.some((scope) => hasScope(caller, scope))) return;
  throw new Refusal('insufficient_grants', `This API key does not have the scope ${scopes.join(' or ')}.`);
}

const ANY = '*';

/** What a page may do without an API key if the operator allows it. */
const ACTS = {
  generate: 'generate skins',
  follow: "see their visitors' jobs",
  report: 'report skins',
} as const;

/** The origins whose web pages may act without an API key. */
export class WebPages {
  readonly #allowed: ReadonlySet<string>;
  readonly #ownAddresses: () => readonly string[];

  /** @param ownAddresses addresses of this service: its own pages are always allowed */
  constructor(allowed: readonly string[], ownAddresses: () => readonly string[]) {
    this.#allowed = new Set(allowed);
    this.#ownAddresses = ownAddresses;
  }

  /**
   * Any page that a person opens can send requests from that person's address, and so use up the person's limits, act
   * for the person, and see what was made from there.
   * @throws Refusal `insufficient_grants` for a caller without a key that comes from a page of another origin
   */
  verifyMay(act: keyof typeof ACTS, caller: Caller): void {
    if (this.isTrusted(caller)) return;
    const message = `Web pages of this origin need an API key to ${ACTS[act]} here.`;
    throw new Refusal('insufficient_grants', message);
  }

  /** Whether the caller has a key, or is not a page of another origin. */
  isTrusted(caller: Caller): boolean {
    return caller.kind !== 'anonymous' || caller.page === undefined || this.#isAllowed(caller.page);
  }

  /**
   * Whether a page at this address belongs to this service or may act like it. A name alone does not prove that,
   * because its owner can point it anywhere. A certificate, an IP address or one of our own names does.
   */
  isProvedName({ protocol, hostname, origin }: URL): boolean {
    const isFixed = hostname === 'localhost' || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
    return protocol === 'https:' || isFixed || this.#isOwnName(hostname) || this.#isAllowed(origin);
  }

  #isAllowed(page: string): boolean {
    return this.#allowed.has(ANY) || this.#allowed.has(page) || this.#isOwn(page);
  }

  #isOwn(page: string): boolean {
    return this.#ownAddresses().some((address) => new URL(address).origin === page);
  }

  #isOwnName(name: string): boolean {
    return this.#ownAddresses().some((address) => new URL(address).hostname === name);
  }
}
