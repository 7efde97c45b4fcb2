import type { Clock } from '../../base/clock.ts';
import { GameError } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import type { GameHttp } from '../../game/http.ts';
import { enterGame } from '../../game/login/enter-game.ts';
import { refreshMicrosoft } from '../../game/login/microsoft.ts';
import { changeHeldAccount, findAccount, replaceSecret } from '../store/accounts.ts';
import type { Db } from '../store/db.ts';
import type { AccountRow } from '../store/schema/account-tables.ts';
import { AccountFault } from './faults.ts';
import type { AccountRules } from './rules.ts';
import type { TokenCipher } from './token-cipher.ts';
import { type AccountTokens, openTokens, sealTokens } from './tokens.ts';

/** What linked accounts are worked with. */
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
      throw new AccountLostError('The account is not held any more.');
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
        'The token is not accepted any more, and there is no other to renew it with.',
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
    return await openTokens(this.#context.cipher, this.#row.uuid, this.#row.secret);
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
