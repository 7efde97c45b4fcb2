import { randomUUID } from 'node:crypto';
import { GameError } from '../../game/errors.ts';
import {
  beginDeviceLogin,
  type DeviceLogin,
  enterGame,
  LoginError,
  type MicrosoftTokens,
  pollDeviceLogin,
  refreshMicrosoft,
} from '../../game/login.ts';
import { type AccountProfile, fetchAccount } from '../../game/skins.ts';
import {
  changeAccount,
  deleteAccount,
  findAccount,
  insertAccount,
  type LinkedAccount,
  listAccounts,
} from '../store/accounts.ts';
import type { Db } from '../store/db.ts';
import { inManagement } from '../store/locks.ts';
import type { AccountRow } from '../store/schema/tables.ts';
import {
  AccountPool,
  type AccountPoolOptions,
  originalOf,
  restoreSkin,
  type TakenAccount,
} from './account-pool.ts';
import { ACCOUNT_RULES, type AccountRules } from './availability.ts';
import { type AccountContext, AccountFault, type AccountTokens, sealTokens } from './held-account.ts';

/** Why an account could not be linked. `message` is for the person who links it. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** A sign-in in progress: the code that the account's owner must enter, and where. */
export interface BegunLogin
  extends Pick<DeviceLogin, 'userCode' | 'verificationUri' | 'expiresAt' | 'interval'> {
  readonly id: string;
}

export interface Linker {
  /** Owner of the user's jobs. */
  readonly owner: string;
  /** Whether the account makes skins for everyone; undefined: unchanged, or according to `sharesByDefault`. */
  readonly share: boolean | undefined;
  readonly sharesByDefault: boolean;
  /** Maximum number of accounts that the user may link. */
  readonly most: number;
}

interface PendingLogin {
  readonly linker: Linker;
  readonly clientId: string;
  readonly device: DeviceLogin;
  /** Time between polls; grows if Microsoft asks for it. */
  interval: number;
  nextPollAt: number;
  /** Set once the code has been entered: the remaining steps may need a retry. */
  tokens?: MicrosoftTokens;
}

/** Maximum number of sign-ins in progress, per user and in all. */
const MAX_PENDING_OF_ONE = 5;
const MAX_PENDING = 100;
/** Maximum number of linked accounts of all users together. */
export const MAX_ACCOUNTS = 500;
/** RFC 8628, 3.5: the increase for `slow_down`. */
const SLOWER = 5_000;
/** Tokens of the game are JSON Web Tokens, Microsoft's refresh tokens are not. */
const GAME_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** Links game accounts to the service. Sign-ins in progress live as long as the process. */
export class Linking {
  readonly #context: AccountContext;
  readonly #clientId: string | undefined;
  readonly #pending = new Map<string, PendingLogin>();

  /** `clientId`: client ID of the operator's application at Microsoft. */
  constructor(context: AccountContext, clientId: string | undefined) {
    this.#context = context;
    this.#clientId = clientId;
  }

  /** Whether the owner of an account can sign in, so that its tokens can be renewed. */
  get canSignIn(): boolean {
    return this.#clientId !== undefined;
  }

  /** @throws LinkError, LoginError, GameError */
  async begin(linker: Linker): Promise<BegunLogin> {
    const clientId = this.#ownClientId();
    this.#forgetExpired();
    const own = [...this.#pending.values()].filter((login) => login.linker.owner === linker.owner);
    if (own.length >= MAX_PENDING_OF_ONE || this.#pending.size >= MAX_PENDING)
      throw new LinkError('Too many sign-ins are under way. Finish one first.');
    const device = await beginDeviceLogin(this.#context.game.http, { clientId });
    const { interval } = device;
    const id = randomUUID();
    const login = { linker, clientId, device, interval, nextPollAt: this.#now() + interval };
    this.#pending.set(id, login);
    return begunLogin(id, login);
  }

  /** A sign-in of the user that is under way; undefined if there is none or it has ended. */
  find(id: string, owner: string): BegunLogin | undefined {
    const login = this.#pending.get(id);
    return login?.linker.owner === owner ? begunLogin(id, login) : undefined;
  }

  /**
   * State of a sign-in of the user: the account once linked, `waiting` before. May be polled without limits.
   * @throws LinkError, LoginError, which end it; GameError, after which polling may continue
   */
  async poll(id: string, owner: string): Promise<LinkedAccount | 'waiting' | 'unknown'> {
    const login = this.#pending.get(id);
    if (login?.linker.owner !== owner) return 'unknown';
    try {
      login.tokens ??= await this.#askFor(login);
      if (!login.tokens) return 'waiting';
      const account = await this.#linkWith(login.tokens, login.clientId, login.linker);
      this.#pending.delete(id);
      return account;
    } catch (error) {
      if (!(error instanceof GameError)) this.#pending.delete(id);
      throw error;
    }
  }

  /**
   * Links an account with a token of the game, which expires within a day, or a refresh token. @throws LinkError, LoginError,
   * GameError
   */
  async linkToken(token: string, linker: Linker): Promise<LinkedAccount> {
    if (GAME_TOKEN.test(token)) {
      return await this.#save({ game: { token, expiresAt: null }, refresh: null }, token, linker);
    }
    const clientId = this.#ownClientId();
    const { http } = this.#context.game;
    const tokens = await refreshMicrosoft(http, { clientId, refreshToken: token });
    return await this.#linkWith(tokens, clientId, linker);
  }

  async #askFor(login: PendingLogin): Promise<MicrosoftTokens | undefined> {
    const now = this.#now();
    if (now >= login.device.expiresAt) throw new LoginError('expired', 'The code was not entered in time.');
    if (now < login.nextPollAt) return undefined;
    login.nextPollAt = now + login.interval;
    const { clientId, device } = login;
    const { deviceCode } = device;
    const polled = await pollDeviceLogin(this.#context.game.http, { clientId, deviceCode });
    if (typeof polled !== 'string') return polled;
    if (polled === 'slow_down') login.interval += SLOWER;
    return undefined;
  }

  async #linkWith(
    { accessToken, refreshToken }: MicrosoftTokens,
    clientId: string,
    linker: Linker,
  ): Promise<LinkedAccount> {
    const game = await enterGame(this.#context.game.http, accessToken);
    return await this.#save({ game, refresh: { token: refreshToken, clientId } }, game.token, linker);
  }

  async #save(tokens: AccountTokens, token: string, linker: Linker): Promise<LinkedAccount> {
    const { db, cipher, game } = this.#context;
    const profile = await readProfile(() => fetchAccount(game.http, token));
    const secret = await sealTokens(cipher, profile.id, tokens);
    return await inManagement(db, async (tx) => {
      const known = await findAccount(tx, profile.id);
      if (known?.owner !== linker.owner) await verifyRoom(tx, linker, known);
      if (known) await changeAccount(tx, known.uuid, linkedAgain(known, profile, { secret, linker }));
      else await insertAccount(tx, newAccount(profile, { secret, linker, now: this.#now() }));
      const linked = await findAccount(tx, profile.id);
      if (linked) return linked;
      throw new Error('The linked account is missing.');
    });
  }

  #ownClientId(): string {
    if (this.#clientId !== undefined) return this.#clientId;
    throw new LinkError(
      'This service has no client ID for sign-ins. Register an application at Microsoft, have it approved at ' +
        'https://aka.ms/mce-reviewappid and set it with --login-client-id or SKINSMITH_LOGIN_CLIENT_ID.',
    );
  }

  #forgetExpired(): void {
    for (const [id, { device }] of this.#pending)
      if (device.expiresAt <= this.#now()) this.#pending.delete(id);
  }

  #now(): number {
    return this.#context.clock.now();
  }
}

function begunLogin(id: string, { device, interval }: PendingLogin): BegunLogin {
  const { userCode, verificationUri, expiresAt } = device;
  return { id, userCode, verificationUri, expiresAt, interval };
}

async function readProfile(fetch: () => Promise<AccountProfile>): Promise<AccountProfile> {
  try {
    return await fetch();
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    if (error.kind === 'unauthorized')
      throw new LinkError('Mojang does not accept this token.', { cause: error });
    if (error.kind !== 'no_profile') throw error;
    const message =
      'The account has no profile: it does not own Minecraft: Java Edition, or never chose a name.';
    throw new LinkError(message, { cause: error });
  }
}

/** @throws LinkError if this user, or the whole service, has no room for another account */
async function verifyRoom(tx: Db, { owner, most }: Linker, known: AccountRow | undefined): Promise<void> {
  const accounts = await listAccounts(tx);
  const own = accounts.filter((account) => account.owner === owner);
  if (own.length >= most)
    throw new LinkError(`You have linked ${own.length} accounts, the maximum. Unlink one first.`);
  if (!known && accounts.length >= MAX_ACCOUNTS)
    throw new LinkError(`This service has ${MAX_ACCOUNTS} accounts, the maximum.`);
}

function newAccount(
  profile: AccountProfile,
  { secret, linker, now }: { secret: string; linker: Linker; now: number },
): AccountRow {
  return {
    uuid: profile.id,
    name: profile.name,
    owner: linker.owner,
    shared: Number(linker.share ?? linker.sharesByDefault),
    state: 'active',
    secret,
    ...originalOf(profile),
    restores: 0,
    shows_cape: 0,
    altered: 0,
    cape_checked_at: 0,
    last_used_at: 0,
    cool_until: 0,
    error_streak: 0,
    last_error_code: null,
    last_error_message: null,
    last_error_at: null,
    generated: 0,
    failed: 0,
    linked_at: now,
    lease_owner: null,
    lease_until: null,
  };
}

/**
 * An account that is linked again gets new tokens and keeps its record of the original skin. It belongs to the
 * user who signs in with it: if that is another user, the consents of its former user no longer apply.
 */
function linkedAgain(
  known: AccountRow,
  profile: AccountProfile,
  { secret, linker }: { secret: string; linker: Linker },
): Partial<AccountRow> {
  const { owner, share, sharesByDefault } = linker;
  const consent =
    known.owner === owner
      ? { ...(share !== undefined && { shared: Number(share) }) }
      : { owner, shared: Number(share ?? sharesByDefault), restores: 0, shows_cape: 0, cape_checked_at: 0 };
  const original = known.altered === 1 ? {} : originalOf(profile);
  const tokens = { name: profile.name, secret, state: 'active', error_streak: 0, cool_until: 0 } as const;
  return { ...tokens, ...consent, ...original };
}

/** Milliseconds that a generation may take to return the account. */
export const PATIENCE = 20_000;
/** Milliseconds for the rest of the account's delay and the change. */
const RESTORE_LIMIT = 30_000;

/**
 * Removes an account of this owner, and its tokens. Restores the skin it wore before the first of ours, if possible. An
 * account that is still in use after a while stays, paused.
 */
export async function unlinkAccount(
  pool: AccountPool,
  { uuid, owner }: Pick<AccountRow, 'uuid' | 'owner'>,
): Promise<'restored' | 'not_needed' | 'not_restored' | 'in_use' | 'unknown'> {
  const { db } = pool.context;
  if (!(await changeAccount(db, uuid, { state: 'paused' }, owner))) return 'unknown';
  const taken = await pool.takeThis(uuid, PATIENCE);
  if (!taken) return (await findAccount(db, uuid))?.owner === owner ? 'in_use' : 'unknown';
  const outcome = taken.row.altered === 0 ? 'not_needed' : await restore(pool, taken);
  await deleteAccount(db, uuid, owner);
  return outcome;
}

async function restore(pool: AccountPool, taken: TakenAccount): Promise<'restored' | 'not_restored'> {
  const signal = AbortSignal.timeout(RESTORE_LIMIT);
  try {
    return (await pool.use(taken, { signal }, restoreSkin)) ? 'restored' : 'not_restored';
  } catch (error) {
    if (signal.aborted || error instanceof AccountFault || error instanceof GameError) return 'not_restored';
    throw error;
  }
}

export interface AccountsOptions extends Omit<AccountPoolOptions, 'rules' | 'onFault'> {
  readonly rules?: Partial<AccountRules> | undefined;
  readonly clientId: string | undefined;
  readonly warn: (message: string) => void;
}

export interface Accounts {
  readonly pool: AccountPool;
  readonly linking: Linking;
}

/** Opens the accounts without sending a request. */
export function openAccounts({ rules, clientId, warn, ...options }: AccountsOptions): Accounts {
  const pool = new AccountPool({
    ...options,
    rules: { ...ACCOUNT_RULES, ...rules },
    onFault: ({ name, uuid }, { kind, message }) =>
      warn(`Game account ${name} (${uuid}): ${kind}: ${message}`),
  });
  return { pool, linking: new Linking(pool.context, clientId) };
}
