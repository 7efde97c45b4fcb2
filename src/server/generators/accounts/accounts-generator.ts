import { GAME_ADDRESSES } from '../../../game/addresses.ts';
import { GameError } from '../../../game/errors.ts';
import { uploadSkin } from '../../../game/skins.ts';
import { pixelHash } from '../../../skin/read-skin.ts';
import type { AccountPool, Taken } from '../../accounts/account-pool.ts';
import { AccountFault, type FaultKind } from '../../accounts/faults.ts';
import { AccountLostError, type HeldAccount } from '../../accounts/held-account.ts';
import { prepareAccount } from '../../accounts/skin-changer.ts';
import { findTexture } from '../../store/textures.ts';
import {
  GenerationError,
  GenerationPostponed,
  type Generator,
  type SkinData,
  type Texture,
} from '../port.ts';
import { awaitShownSkin, awaitTexture } from './shown-skin.ts';

/** Signs with the game itself: a linked account wears the skin for a moment, and the game signs its profile. */
export function accountsGenerator(pool: AccountPool): Generator {
  const { sessionServer } = pool.context.game.http.addresses;
  const signer = sessionServer === GAME_ADDRESSES.sessionServer ? 'game' : `game:${sessionServer}`;
  const { clock } = pool.context;
  // With no account to wait for, jobs start, and fail.
  const startsAt: Generator['startsAt'] = async (owner, ahead) =>
    (await pool.nextStart(owner, ahead)) ?? clock.now();
  return {
    refusesCapes: 'This service signs with game accounts, which have no capes but their own.',
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
  throw new Error(`There is no texture ${hash}.`);
}

/** @throws GenerationPostponed if an account will become free; GenerationError `no_account_available` if none will */
async function takeAccount(pool: AccountPool, owner: string): Promise<Taken> {
  const choice = await pool.take(owner);
  if (choice.kind === 'taken') return choice;
  if (choice.kind === 'later') throw new GenerationPostponed(choice.at);
  const why =
    choice.linked === 0
      ? 'No game account can make your skins: you have linked none, and none is shared with everybody.'
      : `None of the ${choice.linked} game accounts that may make your skins can be used now: their owners must fix them.`;
  throw new GenerationError('no_account_available', why, { isFinal: true });
}

async function generate(making: Making, taken: Taken, signal: AbortSignal): Promise<SkinData> {
  try {
    return await making.pool.use(taken, { signal, generates: true }, (account) => make(making, account));
  } catch (error) {
    if (signal.aborted) throw error;
    throw outcomeOf(error, making.pool.context.clock.now()) ?? error;
  }
}

async function make({ pool, texture, png }: Making, account: HeldAccount): Promise<SkinData> {
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
    throw new GenerationError('invalid_skin_data', 'The account that the skin was made with wears a cape.');
  }
  if (!(await game.keys.hasSigned(value, signature)))
    throw new GenerationError('invalid_skin_data', "The signature is not one of the game's.");
  const kept = await awaitTexture(http, looks);
  if (!kept || pixelHash(kept.picture) !== texture.hash)
    throw new GenerationError('invalid_skin_data', 'The game does not keep the picture as it was sent.');
  return { value, signature, url: skin.url, capeUrl: textures.cape?.url, account: uuid };
}

/** The effect of an account's fault on the job. Another account may succeed. */
const FAULTS = {
  needs_login: ['skin_change_failed', 'The account that was to wear the skin must sign in again.'],
  suspended: ['skin_change_failed', 'The account that was to wear the skin is suspended.'],
  forbidden: ['skin_change_failed', 'The game did not let the account wear the skin.'],
  limited: ['skin_change_failed', 'The game took no more skins from the account for now.'],
  no_profile: ['skin_change_failed', 'The account that was to wear the skin has no profile.'],
  mismatch: ['invalid_skin_data', 'The game did not show the skin that was set.'],
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
    return new GenerationError('invalid_image', 'The game does not take this picture as a skin.', { cause });
  if (cause.kind === 'rate_limited' && cause.status === undefined)
    return new GenerationPostponed(now + Math.max(PACED, cause.retryAfter ?? 0));
  return new GenerationError('service_unavailable', "The game's services cannot be used now.", { cause });
}
