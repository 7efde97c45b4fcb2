import { randomUUID } from 'node:crypto';
import { GameError } from '../../game/errors.ts';
import { enterGame } from '../../game/login/enter-game.ts';
import { LoginError } from '../../game/login/login-error.ts';
import {
  beginDeviceLogin,
  type DeviceLogin,
  type MicrosoftTokens,
  pollDeviceLogin,
  refreshMicrosoft,
} from '../../game/login/microsoft.ts';
import { type AccountProfile, fetchAccount } from '../../game/skins.ts';
import { changeAccount, findAccount, insertAccount, listAccounts } from '../store/accounts.ts';
import { inTransaction } from '../store/store.ts';
import type { AccountRow } from '../store/tables.ts';
import type { AccountTools } from './held-account.ts';
import { type AccountTokens, sealTokens } from './tokens.ts';
import { originalOf } from './wardrobe.ts';

/** Why an account cannot be linked. `message` is for the operator. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** A sign-in that was begun: what the account's owner is to enter, and where. */
export interface BegunLogin
  extends Pick<DeviceLogin, 'userCode' | 'verificationUri' | 'expiresAt' | 'interval'> {
  readonly id: string;
}

interface PendingLogin {
  readonly clientId: string;
  readonly device: DeviceLogin;
  /** Between polls; grows when Microsoft asks for it. */
  interval: number;
  nextPollAt: number;
  /** There once the code was entered: what is left to do may have to be tried again. */
  tokens?: MicrosoftTokens;
}

const MAX_PENDING = 20;
const MAX_ACCOUNTS = 500;
/** RFC 8628, 3.5: what `slow_down` adds. */
const SLOWER = 5_000;
/** Tokens of the game are JSON Web Tokens, Microsoft's refresh tokens are none. */
const GAME_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** Makes game accounts known to the service. Sign-ins that are begun live as long as the process. */
export class Linking {
  readonly #tools: AccountTools;
  readonly #clientId: string | undefined;
  readonly #pending = new Map<string, PendingLogin>();

  /** `clientId`: of the operator's application at Microsoft. */
  constructor(tools: AccountTools, clientId: string | undefined) {
    this.#tools = tools;
    this.#clientId = clientId;
  }

  /** Whether the owner of an account can sign in, so that its tokens can be renewed. */
  get canSignIn(): boolean {
    return this.#clientId !== undefined;
  }

  /** @throws LinkError, LoginError, GameError */
  async begin(): Promise<BegunLogin> {
    const clientId = this.#ownClientId();
    this.#forgetExpired();
    if (this.#pending.size >= MAX_PENDING)
      throw new LinkError('Too many sign-ins are under way: finish one first.');
    const device = await beginDeviceLogin(this.#tools.game.http, { clientId });
    const { userCode, verificationUri, expiresAt, interval } = device;
    const id = randomUUID();
    this.#pending.set(id, { clientId, device, interval, nextPollAt: this.#now() + interval });
    return { id, userCode, verificationUri, expiresAt, interval };
  }

  /**
   * How a sign-in stands: the account once it is linked, `waiting` before. It may be asked as often as one likes.
   * @throws LinkError, LoginError, which end it; GameError, after which it can be asked again
   */
  async poll(id: string): Promise<AccountRow | 'waiting' | 'unknown'> {
    const login = this.#pending.get(id);
    if (!login) return 'unknown';
    try {
      login.tokens ??= await this.#askFor(login);
      if (!login.tokens) return 'waiting';
      const account = await this.#linkWith(login.tokens, login.clientId);
      this.#pending.delete(id);
      return account;
    } catch (error) {
      if (!(error instanceof GameError)) this.#pending.delete(id);
      throw error;
    }
  }

  /** Links with a token of the game, which ends within a day, or a refresh token. @throws LinkError, LoginError, GameError */
  async linkToken(token: string): Promise<AccountRow> {
    if (GAME_TOKEN.test(token)) {
      return await this.#save({ game: { token, expiresAt: null }, refresh: null }, token);
    }
    const clientId = this.#ownClientId();
    const { http } = this.#tools.game;
    return await this.#linkWith(await refreshMicrosoft(http, { clientId, refreshToken: token }), clientId);
  }

  async #askFor(login: PendingLogin): Promise<MicrosoftTokens | undefined> {
    const now = this.#now();
    if (now >= login.device.expiresAt) throw new LoginError('expired', 'Nobody entered the code in time.');
    if (now < login.nextPollAt) return undefined;
    login.nextPollAt = now + login.interval;
    const { clientId, device } = login;
    const polled = await pollDeviceLogin(this.#tools.game.http, { clientId, deviceCode: device.deviceCode });
    if (typeof polled !== 'string') return polled;
    if (polled === 'slow_down') login.interval += SLOWER;
    return undefined;
  }

  async #linkWith({ accessToken, refreshToken }: MicrosoftTokens, clientId: string): Promise<AccountRow> {
    const game = await enterGame(this.#tools.game.http, accessToken);
    return await this.#save({ game, refresh: { token: refreshToken, clientId } }, game.token);
  }

  async #save(tokens: AccountTokens, token: string): Promise<AccountRow> {
    const { db, cipher, game } = this.#tools;
    const profile = await readProfile(() => fetchAccount(game.http, token));
    const secret = await sealTokens(cipher, profile.id, tokens);
    return await inTransaction(db, async (tx) => {
      const known = await findAccount(tx, profile.id);
      if (!known) {
        if ((await listAccounts(tx)).length >= MAX_ACCOUNTS)
          throw new LinkError(`There are ${MAX_ACCOUNTS} accounts already: unlink one first.`);
        const account = newAccount(profile, secret, this.#now());
        await insertAccount(tx, account);
        return account;
      }
      const change = renewed(known, profile, secret);
      await changeAccount(tx, known.uuid, change);
      return { ...known, ...change };
    });
  }

  #ownClientId(): string {
    if (this.#clientId !== undefined) return this.#clientId;
    throw new LinkError(
      'This service has no client id to sign in with: register an application at Microsoft, have it approved at ' +
        'https://aka.ms/mce-reviewappid and set it with --login-client-id or SKINSMITH_LOGIN_CLIENT_ID.',
    );
  }

  #forgetExpired(): void {
    for (const [id, { device }] of this.#pending)
      if (device.expiresAt <= this.#now()) this.#pending.delete(id);
  }

  #now(): number {
    return this.#tools.clock.now();
  }
}

async function readProfile(fetch: () => Promise<AccountProfile>): Promise<AccountProfile> {
  try {
    return await fetch();
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    if (error.kind === 'unauthorized')
      throw new LinkError('The game does not accept this token.', { cause: error });
    if (error.kind !== 'not_found') throw error;
    throw new LinkError(
      'The account has no profile: it does not own Minecraft: Java Edition, or never chose a name.',
      {
        cause: error,
      },
    );
  }
}

function newAccount(profile: AccountProfile, secret: string, now: number): AccountRow {
  return {
    uuid: profile.id,
    name: profile.name,
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

/** Linked again: its tokens are new, its settings and what it wore by itself stay. */
function renewed(known: AccountRow, profile: AccountProfile, secret: string): Partial<AccountRow> {
  const original = known.altered === 1 ? {} : originalOf(profile);
  return { name: profile.name, secret, state: 'active', error_streak: 0, cool_until: 0, ...original };
}
