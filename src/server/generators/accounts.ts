import type { Clock } from '../../base/clock.ts';
import { GAME_ADDRESSES } from '../../game/addresses.ts';
import { GameError } from '../../game/errors.ts';
import type { GameHttp, GameRequest } from '../../game/http.ts';
import {
  downloadTexture,
  fetchSignedProfile,
  type GameTexture,
  type SignedProfile,
  textureHashOf,
} from '../../game/profiles.ts';
import { type AccountSkin, uploadSkin } from '../../game/skins.ts';
import { finding, type HealthFinding } from '../../protocol/service.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import {
  type AccountPool,
  prepareAccount,
  Restorer,
  type RestorerOptions,
  type TakenAccount,
} from '../accounts/account-pool.ts';
import { type AccountRules, freeAt } from '../accounts/availability.ts';
import {
  AccountFault,
  AccountLostError,
  type FaultKind,
  type HeldAccount,
} from '../accounts/held-account.ts';
import type { Accounts } from '../accounts/linking.ts';
import { listAccounts } from '../store/accounts.ts';
import type { AccountRow } from '../store/schema/tables.ts';
import { findTexture } from '../store/textures.ts';
import {
  GenerationError,
  GenerationPostponed,
  type Generator,
  type OpenGenerator,
  type SignedSkin,
  type Texture,
} from './port.ts';

/** Maximum milliseconds by which restoring the accounts' own skins may delay the shutdown. */
const RESTORE_LIMIT = 20_000;

export interface AccountGeneratorOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly chores: {
    run(chore: 'restore-accounts', every: number, work: () => Promise<void>): Promise<void>;
  };
  readonly isAlone: () => Promise<boolean>;
  readonly warn: (message: string) => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
}

/** Opens the generator, and the restorer that gives idle accounts their own skins back. */
export async function openAccountsGenerator({
  accounts,
  clock,
  chores,
  isAlone,
  warn,
  onError,
}: AccountGeneratorOptions): Promise<OpenGenerator> {
  const { pool } = accounts;
  const isReady = async () => (await pool.opensAt()) !== undefined;
  if (!(await isReady())) warn('No game account to make skins with; link one with: skinsmith accounts link');
  const once: RestorerOptions['once'] = async (every, look) =>
    await chores.run('restore-accounts', every, look);
  const restorer = new Restorer({ pool, clock, once, isAlone, onError });
  restorer.start();
  const health = async (signal: AbortSignal) => await accountsHealth(accounts, signal);
  return {
    generator: { ...accountsGenerator(pool), health, isReady },
    close: async () => await restorer.stop(RESTORE_LIMIT),
  };
}

/** Signs with the game itself: a linked account wears the skin for a moment, and the game signs its profile. */
export function accountsGenerator(pool: AccountPool): Generator {
  const { sessionServer } = pool.context.game.http.addresses;
  const signer = sessionServer === GAME_ADDRESSES.sessionServer ? 'game' : `game:${sessionServer}`;
  const { clock } = pool.context;
  // Without an account to wait for, jobs start and fail.
  const startsAt: Generator['startsAt'] = async (owner, ahead) =>
    (await pool.nextStart(owner, ahead)) ?? clock.now();
  return {
    refusesCapes: 'This service signs with game accounts, which can only wear their own capes.',
    signer: async () => signer, // the game signs, whichever account is used
    bounds: async () => ({ onePerIdentity: true, ...(await pool.readyOwners()) }),
    startsAt,
    pause: async () => Math.max(0, ((await pool.opensAt()) ?? 0) - clock.now()),
    generate: async (texture, signal) => {
      const png = await readPng(pool, texture.hash);
      return await generate({ pool, texture, png }, await takeAccount(pool, texture.owner), signal);
    },
  };
}

interface Making {
  readonly pool: AccountPool;
  readonly texture: Texture;
  readonly png: Uint8Array;
}

async function readPng({ context }: AccountPool, hash: string): Promise<Uint8Array> {
  const texture = await findTexture(context.db, hash);
  if (texture) return texture.png;
  throw new Error(`No texture ${hash}.`);
}

/** @throws GenerationPostponed if an account will become free; GenerationError `no_account_available` if none will */
async function takeAccount(pool: AccountPool, owner: string): Promise<TakenAccount> {
  const choice = await pool.take(owner);
  if (choice.kind === 'taken') return choice;
  if (choice.kind === 'later') throw new GenerationPostponed(choice.at);
  const why =
    choice.linked === 0
      ? 'No game account can make your skins: you have not linked one, and none is shared with everyone.'
      : `None of the ${choice.linked} game accounts that may make your skins can be used now: their owners must fix them.`;
  throw new GenerationError('no_account_available', why, { isFinal: true });
}

async function generate(making: Making, taken: TakenAccount, signal: AbortSignal): Promise<SignedSkin> {
  try {
    return await making.pool.use(taken, { signal, generates: true }, (account) => make(making, account));
  } catch (error) {
    if (signal.aborted) throw error;
    throw outcomeOf(error, making.pool.context.clock.now()) ?? error;
  }
}

async function make({ pool, texture, png }: Making, account: HeldAccount): Promise<SignedSkin> {
  const { game, clock, rules } = pool.context;
  const { http } = game;
  const { signal } = account;
  const { uuid, shows_cape } = account.row;
  await prepareAccount(account, { now: clock.now(), capeMemory: rules.capeMemory });
  const upload = { png, variant: texture.variant, signal };
  const skin = await account.change((token) => uploadSkin(http, token, upload));
  const looks = { skin, looks: rules.looks, signal };
  const { value, signature, textures } = await awaitShownSkin(http, { uuid, ...looks });
  if (textures.cape && shows_cape === 0) {
    await account.note({ cape_checked_at: 0 }); // put on after the last check
    throw new GenerationError('invalid_skin_data', 'The game account that made the skin wears a cape.');
  }
  if (!(await game.keys.hasSigned(value, signature)))
    throw new GenerationError('invalid_skin_data', "The signature is not Mojang's.");
  const kept = await awaitTexture(http, looks);
  if (!kept || pixelHash(kept.picture) !== texture.hash)
    throw new GenerationError('invalid_skin_data', 'Mojang changed the picture.');
  return { value, signature, url: skin.url, cape_url: textures.cape?.url ?? null, account: uuid };
}

/** The effect of an account's fault on the job. Another account may succeed. */
const FAULTS = {
  needs_login: ['skin_change_failed', 'The game account for the skin must sign in again.'],
  suspended: ['skin_change_failed', 'The game account for the skin is suspended.'],
  forbidden: ['skin_change_failed', 'Mojang did not allow the account to wear the skin.'],
  limited: ['skin_change_failed', "Mojang is limiting the account's skin changes."],
  no_profile: ['skin_change_failed', 'The game account for the skin has no profile.'],
  mismatch: ['invalid_skin_data', 'Mojang does not show the new skin.'],
} as const satisfies Record<FaultKind, readonly [GenerationError['code'], string]>;

/** Minimum milliseconds until the retry of a job held back by our own pacing. */
const PACED = 1_000;

function outcomeOf(cause: unknown, now: number): Error | undefined {
  if (cause instanceof AccountFault) {
    const [code, message] = FAULTS[cause.kind];
    return new GenerationError(code, message, { cause });
  }
  if (cause instanceof AccountLostError)
    return new GenerationError('skin_change_failed', 'The job lost its game account.', { cause });
  if (!(cause instanceof GameError)) return undefined;
  if (cause.kind === 'bad_image')
    return new GenerationError('invalid_image', 'Mojang does not accept this picture as a skin.', {
      cause,
    });
  if (cause.kind === 'rate_limited' && cause.status === undefined)
    return new GenerationPostponed(now + Math.max(PACED, cause.retryAfter ?? 0));
  return new GenerationError('service_unavailable', "Mojang's services are unavailable.", { cause });
}

export interface ShownSkinOptions {
  /** 32 hexadecimal digits. */
  readonly uuid: string;
  /** The values in the game's answer to the change. */
  readonly skin: AccountSkin;
  /** Pauses before each look, in milliseconds. */
  readonly looks: readonly number[];
  readonly signal: AbortSignal;
}

/**
 * The account's signed profile, once it shows exactly this skin. Never returns an earlier skin, or one that someone
 * else has set in the meantime.
 * @throws AccountFault `mismatch` if no look shows it; GameError if the last look failed
 */
export async function awaitShownSkin(http: GameHttp, options: ShownSkinOptions): Promise<SignedProfile> {
  const { uuid, looks, signal } = options;
  const profile = await retrying({ http, waits: looks, signal }, async () => {
    const found = await fetchSignedProfile(http, uuid, { isFresh: true, signal });
    return shows(http, found, options) ? found : undefined;
  });
  if (profile) return profile;
  throw new AccountFault('mismatch', 'Mojang does not show the skin that it accepted.');
}

/** The texture at a URL; a new one may take a moment to become available. @throws GameError */
export async function awaitTexture(
  http: GameHttp,
  { skin, looks, signal }: Omit<ShownSkinOptions, 'uuid'>,
): Promise<GameTexture | undefined> {
  const waits = [0, ...looks.slice(1)];
  return await retrying({ http, waits, signal }, () => downloadTexture(http, skin.url, signal));
}

/** The account may have worn the same picture before with the other arm width. */
function shows(http: GameHttp, { id, textures }: SignedProfile, { uuid, skin }: ShownSkinOptions): boolean {
  const hashOf = (url: string) => textureHashOf(http.addresses.textures, url) ?? url;
  const { skin: shown } = textures;
  const isThat = shown && hashOf(shown.url) === hashOf(skin.url) && shown.variant === skin.variant;
  return isThat === true && id === uuid && textures.profileId === uuid;
}

/** The first result of a look; undefined if there is none. A failed look is repeated, except for the last one. */
async function retrying<T>(
  { http, waits, signal }: { http: GameHttp; waits: readonly number[]; signal: AbortSignal },
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let failure: GameError | undefined;
  for (const wait of waits) {
    await http.clock.sleep(wait, signal);
    try {
      failure = undefined;
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      failure = error;
    }
  }
  if (failure) throw failure;
  return undefined;
}

/** The state of the linked accounts, and whether the game's services answer. */
export async function accountsHealth(
  { pool, linking }: Accounts,
  signal: AbortSignal,
): Promise<readonly HealthFinding[]> {
  const { db, rules, clock, game } = pool.context;
  const accounts = await listAccounts(db);
  return [
    accountsFinding(accounts, rules, clock.now()),
    linking.canSignIn
      ? finding('ok', 'client_id', 'The service has a client ID for linking accounts.')
      : finding('warning', 'no_client_id', 'The service has no client ID for linking accounts.'),
    await gameFinding(game.http, accounts[0] ?? ANYBODY, signal),
  ];
}

type AccountStatus =
  | 'ready'
  | 'in use'
  | 'resting'
  | 'paused'
  | 'suspended'
  | 'tired'
  | 'waiting to be linked again';
/** States of an account that need someone's attention. */
const NEEDS_CARE: ReadonlySet<AccountStatus> = new Set(['suspended', 'tired', 'waiting to be linked again']);

function accountsFinding(accounts: readonly AccountRow[], rules: AccountRules, now: number): HealthFinding {
  if (accounts.length === 0) return finding('problem', 'no_accounts', 'No game accounts linked.');
  const standings = accounts.map((account) => accountStatus(account, rules, now));
  const counts = [...Map.groupBy(standings, (name) => name)].map(([name, all]) => `${all.length} ${name}`);
  const plural = accounts.length === 1 ? '' : 's';
  const message = `${accounts.length} game account${plural} linked: ${counts.join(', ')}.`;
  if (!accounts.some((account) => freeAt(account, rules, now) !== undefined))
    return finding('problem', 'no_usable_account', message);
  const needsCare = standings.some((name) => NEEDS_CARE.has(name));
  const works = standings.some((name) => name === 'ready' || name === 'in use');
  if (!works && standings.includes('resting')) {
    const until = Math.min(...accounts.flatMap(({ cool_until }) => (cool_until > now ? cool_until : [])));
    const time = new Date(until).toISOString().slice(11, 16);
    return finding('warning', 'accounts_rest', `${message} None of them makes skins before ${time} UTC.`);
  }
  return needsCare ? finding('warning', 'accounts_need_care', message) : finding('ok', 'accounts', message);
}

function accountStatus(account: AccountRow, { maxStreak }: AccountRules, now: number): AccountStatus {
  if (account.state === 'needs_login') return 'waiting to be linked again';
  if (account.state !== 'active') return account.state;
  if (account.error_streak >= maxStreak) return 'tired';
  if (account.cool_until > now) return 'resting';
  return account.lease_owner === null ? 'ready' : 'in use';
}

/** Does not need to exist: any answer shows that the game's service works. */
const ANYBODY = { uuid: 'f'.repeat(32), name: 'skinsmith' };

/** Looks up a player, which costs no account anything. "No such player" counts as an answer. */
async function gameFinding(
  http: GameHttp,
  { uuid, name }: Pick<AccountRow, 'uuid' | 'name'>,
  signal: AbortSignal,
): Promise<HealthFinding> {
  const ask = async (request: GameRequest) => await http.send({ ...request, answers: [400, 404], signal });
  try {
    await Promise.all([
      ask({ service: 'session', path: `/session/minecraft/profile/${uuid}` }),
      ask({ service: 'names', path: `/minecraft/profile/lookup/name/${name}` }),
    ]);
    return finding('ok', 'game', "Mojang's services respond.");
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    const { kind, message } = error;
    if (kind === 'rate_limited') return finding('warning', 'game_limits', message);
    return finding('problem', 'game_unreachable', message);
  }
}
