import { hash, randomBytes } from 'node:crypto';
import { MIN_API_KEY_LENGTH } from '../../protocol/account.ts';
import { findKeyOwner } from '../store/api-keys.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { lockQueue } from '../store/locks.ts';
import { readMeta, writeMeta } from '../store/meta.ts';
import { noteKeyUse } from '../store/usage.ts';
import {
  anonymousCaller,
  brokenBinding,
  type Caller,
  callerKey,
  type Origins,
  userCaller,
} from './callers.ts';
import type { Plans } from './plans.ts';
import { Refusal } from './refusal.ts';

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
