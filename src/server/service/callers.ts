import { hash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { MIN_API_KEY_LENGTH } from '../../protocol/account.ts';
import { SCOPES, type Scope } from '../../protocol/api-key.ts';
import { blockOf, isInside, networkOf } from '../outbound/target.ts';
import { findKeyOwner } from '../store/api-keys.ts';
import { type Db, inTransaction, lockQueue } from '../store/db.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import type { ApiKeyRow, UserRow } from '../store/schema/tables.ts';
import { noteKeyUse } from '../store/usage.ts';
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

/** What a key may do, and from where. */
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

/** Any origin. */
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

/** Fixed prefix of every key, for secret scanners and people to recognize. */
const PREFIX = 'sksm_';

/** A new API key: 256 random bits, 69 characters. */
export function makeApiKey(): string {
  return PREFIX + randomBytes(32).toString('hex');
}

/** A new secret of a session or of a sign-in link: 256 random bits. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of a key or another secret. A plain hash is enough: 256 random bits cannot be guessed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Common client mistakes in sending a key, each with its message; the first match counts. */
const KEY_MISTAKES: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /^Bearer\s+Bearer\b/i,
    'The word "Bearer" was sent twice. The client adds it itself, so remove it from the setting.',
  ],
  [
    /^(?:Bearer\s+)?Optional(?:\[|\.empty)/i,
    'The key arrived as Optional[…], a bug in the client that an update may fix.',
  ],
  [/["'`“”‘’]/, 'The key arrived in quotes. Remove them from the setting.'],
  [/^Bearer\s+[<{[(]/i, 'The key arrived in brackets. Remove them from the setting.'],
  [/^Bearer\s+\S+\s+\S/i, 'The key arrived with a space inside. Copy it again without line breaks.'],
];

export interface Credentials extends Origins {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Whether an unknown key counts as missing, as on the hosted service. */
  readonly isBare?: boolean;
}

export interface AuthenticateOptions {
  /** Whether callers without a key are allowed. */
  readonly allowsAnonymous: boolean;
  readonly plans: Plans;
  readonly now: number;
}

/**
 * Identifies the caller. A missing key may be allowed, an invalid one never is.
 * @throws Refusal `invalid_api_key`; `unauthorized` if a key is required
 */
export async function authenticate(
  db: Db,
  credentials: Credentials,
  options: AuthenticateOptions,
): Promise<Caller> {
  const { authorization, isBare } = credentials;
  const { plans, now } = options;
  if (authorization === undefined) return withoutKey(credentials, options);
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const mayBeKey = key !== undefined && key.length >= MIN_API_KEY_LENGTH;
  const found = mayBeKey ? await findKeyOwner(db, hashSecret(key)) : undefined;
  if (!found && isBare) return withoutKey(credentials, options);
  if (!found) throw unknownKey(authorization);
  if (found.user.disabled_at !== null) {
    throw new Refusal('invalid_api_key', 'The user of this API key is disabled.');
  }
  const broken = brokenBinding(callerKey(found.key), credentials);
  if (broken !== undefined) throw new Refusal('invalid_api_key', broken);
  noteKeyUse(db, found.key, now);
  return userCaller(found.user, plans, found.key);
}

/** @throws Refusal `unauthorized` if a key is required */
function withoutKey(
  origins: Origins,
  { allowsAnonymous, plans }: Pick<AuthenticateOptions, 'allowsAnonymous' | 'plans'>,
): Caller {
  if (allowsAnonymous) return anonymousCaller(origins, plans);
  const message = 'This service requires an API key. Send it as "Authorization: Bearer <key>".';
  throw new Refusal('unauthorized', message);
}

/** Explains an obvious mistake, if there is one. */
function unknownKey(authorization: string): Refusal {
  const message = KEY_MISTAKES.find(([pattern]) => pattern.test(authorization))?.[1];
  return new Refusal('invalid_api_key', message && { notes: [{ code: 'invalid_api_key', message }] });
}

/** Milliseconds between checks for revocations: a revocation in any process takes effect within a second. */
const LOOK = 250;

/** A long request, or a stream. */
interface Held {
  /** Authenticates it again. @throws Refusal if it would no longer be admitted */
  readonly verify: () => Promise<void>;
  readonly onRevoked: (refusal: Refusal) => void;
  /** Whether it was checked after it began: its key may have been revoked just before. */
  isSeen: boolean;
}

export interface OpenRequestsOptions {
  readonly db: Db;
  readonly onError: (error: unknown) => void;
}

/** Call after every change that removes rights, so that all nodes check their open requests. */
export async function noteRevocation(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockQueue(tx);
    const count = Number((await readMeta(tx, 'revocations')) ?? 0);
    await writeMeta(tx, 'revocations', String(count + 1));
  });
}

/** The open requests. Each ends when its key is revoked or bound elsewhere, or its user is disabled. */
export class OpenRequests {
  readonly #options: OpenRequestsOptions;
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #revocations: string | undefined;

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
  }

  /** Calls back once if the request would no longer be admitted, until the returned function is called. */
  hold(verify: Held['verify'], onRevoked: Held['onRevoked']): () => void {
    const held: Held = { verify, onRevoked, isSeen: false };
    this.#held.add(held);
    this.#timer ??= setInterval(() => void this.#look(), LOOK).unref();
    return () => this.#release(held);
  }

  /** Runs `work`, and throws the refusal if the request would no longer be admitted. */
  async during<T>(verify: Held['verify'], work: () => Promise<T>): Promise<T> {
    let release: (() => void) | undefined;
    const revoked = new Promise<never>((_, reject) => {
      release = this.hold(verify, reject);
    });
    try {
      return await Promise.race([work(), revoked]);
    } finally {
      release?.();
    }
  }

  #release(held: Held): void {
    this.#held.delete(held); // the timer stays until its next check, because most requests are over before it
  }

  async #look(): Promise<void> {
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const revocations = await readMeta(this.#options.db, 'revocations');
      const isNews = revocations !== this.#revocations;
      if (isNews) this.#options.db.store.keyOwners.forget(); // the cached keys may have been revoked
      for (const held of [...this.#held]) if (isNews || !held.isSeen) await this.#verify(held);
      this.#revocations = revocations;
    } catch (error) {
      this.#options.onError(error); // the store is unreadable, and the next check is soon
    } finally {
      this.#isLooking = false;
    }
  }

  async #verify(held: Held): Promise<void> {
    try {
      await held.verify();
      held.isSeen = true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#held.has(held)) return; // it has ended since
      this.#release(held);
      held.onRevoked(error);
    }
  }
}
