import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { makeSecretFile, readSecretFile } from '../../base/secret-files.ts';
import { shortFingerprint } from '../../base/text.ts';
import { GameError } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import type { GameHttp } from '../../game/http.ts';
import { enterGame, LoginError, refreshMicrosoft } from '../../game/login.ts';
import { changeHeldAccount, findAccount, replaceSecret } from '../store/accounts.ts';
import type { Db } from '../store/db.ts';
import type { AccountRow, AccountState } from '../store/schema/tables.ts';
import type { AccountRules } from './availability.ts';

/** The tokens in a shared store were encrypted with another key than this server's. */
export class AccountKeyChangedError extends Error {
  override readonly name = 'AccountKeyChangedError';
  readonly code = 'account_key_changed';
  readonly hint = "Give this server the others' key file with --account-key <file>";
}

/** Checks by its fingerprint that a key is the one of all servers; undefined: there is no key here. Throws if it differs. */
export type KeyCheck = (fingerprint: string | undefined) => Promise<void>;

/** Unreadable tokens or an unusable key file. `message` says what to do. */
export class AccountKeyError extends Error {
  override readonly name = 'AccountKeyError';
  readonly code = 'account_key_unusable';
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
/** The format of encrypted tokens. Unknown versions are rejected. */
const VERSION = 'v1';
const SEALED = /^v1\.([\w-]{16})\.([\w-]{22})\.([\w-]+)$/;

/**
 * Encrypts an account's tokens: AES-256-GCM with the key in a file, bound to the account, so that a copy of the store
 * without the key is useless and no account's tokens can pass for another's.
 */
export class TokenCipher {
  readonly #path: string;
  readonly #check: KeyCheck;
  #key: Buffer | undefined;

  /**
   * @param path of the key file, which is created on first use
   * @param check called before a key is used for the first time; default: there is only one server
   */
  constructor(path: string, check: KeyCheck = async () => {}) {
    this.#path = path;
    this.#check = check;
  }

  /** Call this when the server starts. @throws AccountKeyError, AccountKeyChangedError */
  async start(): Promise<void> {
    if (!(await this.#existingKey())) await this.#check(undefined);
  }

  /** @throws AccountKeyError */
  async seal(uuid: string, text: string): Promise<string> {
    const key = (await this.#existingKey()) ?? (await this.#newKey());
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(uuid));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [VERSION, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join(
      '.',
    );
  }

  /** @throws AccountKeyError if the text was not sealed for this account with this key, or has been changed since */
  async open(uuid: string, sealed: string): Promise<string> {
    const key = await this.#existingKey();
    if (!key) throw new AccountKeyError('The key file account-key is missing. Restore it from a backup.');
    const [, ...parts] = SEALED.exec(sealed) ?? [];
    const [iv, tag, text] = parts.map((part) => Buffer.from(part, 'base64url'));
    if (!iv || !tag || !text) throw unreadable();
    try {
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: 16 });
      decipher.setAAD(Buffer.from(uuid)).setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw unreadable(cause);
    }
  }

  async #existingKey(): Promise<Buffer | undefined> {
    if (this.#key) return this.#key;
    const text = await readSecretFile(this.#path);
    if (text !== undefined) this.#key = await this.#checked(this.#readKey(text));
    return this.#key;
  }

  async #newKey(): Promise<Buffer> {
    await this.#check(undefined);
    const made = `${randomBytes(KEY_BYTES).toString('base64url')}\n`;
    const text = await makeSecretFile(this.#path, made);
    try {
      this.#key = await this.#checked(this.#readKey(text));
    } catch (error) {
      // Another server was first. This server would not start again with this file, and nothing is encrypted with it.
      if (error instanceof AccountKeyChangedError && text === made) await rm(this.#path, { force: true });
      throw error;
    }
    return this.#key;
  }

  async #checked(key: Buffer): Promise<Buffer> {
    await this.#check(shortFingerprint(key.toString('base64url')));
    return key;
  }

  #readKey(text: string): Buffer {
    const key = Buffer.from(text.trim(), 'base64url');
    if (key.length === KEY_BYTES) return key;
    throw new AccountKeyError('The key file account-key contains no key. Restore it from a backup.');
  }
}

function unreadable(cause?: unknown): AccountKeyError {
  const message = "The account's tokens cannot be read with the key in account-key. Link the account again.";
  return new AccountKeyError(message, { cause });
}

/** Faults of an account itself. */
export type FaultKind = 'needs_login' | 'suspended' | 'forbidden' | 'limited' | 'no_profile' | 'mismatch';

interface Consequence {
  /** The account is not used again until someone repairs it. */
  readonly state?: AccountState;
  /** The account rests. */
  readonly cools?: boolean;
}

/** All of them also count towards the account's streak. */
export const CONSEQUENCES = {
  needs_login: { state: 'needs_login' },
  suspended: { state: 'suspended' },
  forbidden: { cools: true },
  limited: { cools: true },
  no_profile: { state: 'needs_login' },
  mismatch: { cools: true },
} as const satisfies Record<FaultKind, Consequence>;

/** An account was unusable because of its own fault. `message` is for the operator and contains no token. */
export class AccountFault extends Error {
  override readonly name = 'AccountFault';
  readonly kind: FaultKind;
  /** Milliseconds to rest, if the game names a time. */
  readonly rest: number | undefined;

  constructor(
    kind: FaultKind,
    message: string,
    { rest, cause }: { rest?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.rest = rest;
  }
}

const KINDS: Partial<Record<GameError['kind'], FaultKind>> = {
  unauthorized: 'needs_login',
  forbidden: 'forbidden',
  no_profile: 'no_profile',
};

/**
 * Turns an error with an account's own token into a fault of the account. Undefined if the account is not the cause:
 * unreachable services, malformed answers, bad pictures, our own pacing.
 */
export function accountFaultOf(error: unknown): AccountFault | undefined {
  if (error instanceof AccountFault) return error;
  if (error instanceof LoginError || error instanceof AccountKeyError) {
    return new AccountFault('needs_login', error.message, { cause: error });
  }
  if (!(error instanceof GameError)) return undefined;
  const { message, isSuspended, retryAfter: rest } = error;
  if (isSuspended) return new AccountFault('suspended', message, { cause: error });
  // Without a status it is our own pacing, which is not a fault.
  if (error.kind === 'rate_limited' && error.status !== undefined)
    return new AccountFault('limited', message, { rest, cause: error });
  const kind = KINDS[error.kind];
  return kind && new AccountFault(kind, message, { cause: error });
}

const tokensSchema = z.object({
  /** For the game's services; null: available with the refresh token. `expiresAt` null: unknown. */
  game: z.object({ token: z.string(), expiresAt: z.number().nullable() }).nullable(),
  /** For Microsoft, with the application it was issued to; null: none, so only the owner can sign in again. */
  refresh: z.object({ token: z.string(), clientId: z.string() }).nullable(),
});
export type AccountTokens = z.infer<typeof tokensSchema>;

export async function sealTokens(cipher: TokenCipher, uuid: string, tokens: AccountTokens): Promise<string> {
  return await cipher.seal(uuid, JSON.stringify(tokens));
}

export interface AccountContext {
  readonly db: Db;
  readonly game: Game;
  readonly cipher: TokenCipher;
  readonly clock: Clock;
  readonly rules: AccountRules;
}

/** The account's lease is lost: this process did not renew it for too long, or the account was unlinked. */
export class AccountLostError extends Error {
  override readonly name = 'AccountLostError';
}

/** A token that expires within this many milliseconds is renewed first. */
const RENEW_BEFORE = 300_000;

/** An account under a lease of this process: no one else uses it. */
export class HeldAccount {
  readonly signal: AbortSignal;
  readonly #context: AccountContext;
  readonly #owner: string;
  #row: AccountRow;

  constructor(
    row: AccountRow,
    { context, owner, signal }: { context: AccountContext; owner: string; signal: AbortSignal },
  ) {
    this.#row = row;
    this.#context = context;
    this.#owner = owner;
    this.signal = signal;
  }

  /** The row as it was taken, with the facts noted since. */
  get row(): AccountRow {
    return this.#row;
  }

  get http(): GameHttp {
    return this.#context.game.http;
  }

  /** Records facts about the account. @throws AccountLostError */
  async note(change: Partial<Omit<AccountRow, 'uuid'>>): Promise<void> {
    const held = { uuid: this.#row.uuid, owner: this.#owner };
    if (!(await changeHeldAccount(this.#context.db, held, change))) {
      throw new AccountLostError('The account is no longer held.');
    }
    this.#row = { ...this.#row, ...change };
  }

  /** Sends a request to the game with the account's token. A refused token is renewed, once. */
  async call<T>(work: (token: string, signal: AbortSignal) => Promise<T>): Promise<T> {
    const token = (await this.#tokenThatLasts()) ?? (await this.#renewLogin());
    try {
      return await work(token, this.signal);
    } catch (error) {
      if (!(error instanceof GameError && error.kind === 'unauthorized')) throw error;
      return await work(await this.#renewLogin(), this.signal);
    }
  }

  /** The same for a change of its skin: never faster than an account may be used. */
  async change<T>(work: (token: string, signal: AbortSignal) => Promise<T>): Promise<T> {
    return await this.call(async (token, signal) => {
      const { clock, rules } = this.#context;
      const wait = this.#row.last_used_at + rules.delay - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
      await this.note({ altered: 1, last_used_at: clock.now() });
      try {
        return await work(token, signal);
      } finally {
        this.#row = { ...this.#row, last_used_at: clock.now() };
      }
    });
  }

  async #tokenThatLasts(): Promise<string | undefined> {
    const { game } = await this.#tokens();
    if (!game) return undefined;
    const lasts = game.expiresAt === null || game.expiresAt - this.#context.clock.now() > RENEW_BEFORE;
    return lasts ? game.token : undefined;
  }

  /** Refresh tokens work only once, so the next one is stored before anything else can go wrong. */
  async #renewLogin(): Promise<string> {
    const { refresh, game: old } = await this.#tokens();
    if (!refresh) {
      throw new AccountFault(
        'needs_login',
        'The token is no longer accepted, and there is no refresh token to renew it.',
      );
    }
    const { clientId } = refresh;
    // Must not be interrupted: if the answer is not read, the login is lost.
    const renewed = await refreshMicrosoft(this.http, { clientId, refreshToken: refresh.token });
    const next = { token: renewed.refreshToken, clientId };
    await this.#keep({ game: old, refresh: next });
    const game = await enterGame(this.http, renewed.accessToken, this.signal);
    await this.#keep({ game, refresh: next });
    return game.token;
  }

  async #tokens(): Promise<AccountTokens> {
    const { uuid, secret } = this.#row;
    return tokensSchema.parse(JSON.parse(await this.#context.cipher.open(uuid, secret)));
  }

  /** Tokens from a new link in the meantime take precedence. */
  async #keep(tokens: AccountTokens): Promise<void> {
    const { db, cipher } = this.#context;
    const { uuid, secret: from } = this.#row;
    const to = await sealTokens(cipher, uuid, tokens);
    const isOurs = await replaceSecret(db, uuid, { from, to });
    const secret = isOurs ? to : (await findAccount(db, uuid))?.secret;
    if (secret === undefined) throw new AccountLostError('The account was unlinked.');
    this.#row = { ...this.#row, secret };
  }
}
