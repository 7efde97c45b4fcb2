import { hash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { MIN_API_KEY_LENGTH } from '../../../protocol/account.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { findKeyOwner } from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import { noteKeyUse } from '../../store/usage.ts';
import type { Plans } from '../plans.ts';
import { Refusal } from '../refusal.ts';
import {
  anonymousCaller,
  type Caller,
  callerKey,
  type Origins,
  userCaller,
  verifyBindings,
} from './caller.ts';

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

/** The stored form of a key. A plain hash is enough: 256 random bits cannot be guessed. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
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

/** Explains an obvious mistake in an unknown key, based on the Authorization header of the request. */
export function explainInvalidKey(authorization: string): Note[] {
  const message = KEY_MISTAKES.find(([pattern]) => pattern.test(authorization))?.[1];
  return message === undefined ? [] : [{ code: 'invalid_api_key', message }];
}

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
  const found = mayBeKey ? await findKeyOwner(db, hashApiKey(key)) : undefined;
  if (!found && isBare) return withoutKey(credentials, options);
  if (!found) throw unknownKey(authorization);
  if (found.user.disabled_at !== null) {
    throw new Refusal('invalid_api_key', 'The user of this API key is disabled.');
  }
  verifyBindings(callerKey(found.key), credentials);
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

function unknownKey(authorization: string): Refusal {
  return new Refusal('invalid_api_key', { notes: explainInvalidKey(authorization) });
}
