import type { z } from 'zod';
import type { GameAccount, gameAccountSkinSchema } from '../../../protocol/game-account.ts';
import { restoreSkin, wearAsOwn } from '../../accounts/account-pool.ts';
import type { HeldAccount } from '../../accounts/held-account.ts';
import { PATIENCE } from '../../accounts/linking.ts';
import { findTexture } from '../../store/textures.ts';
import type { Caller, StoreContext } from '../callers.ts';
import { readWearable } from '../players/wardrobe.ts';
import { Refusal } from '../refusal.ts';
import { requireUnblocked } from '../skins/identity.ts';
import { type AccountsContext, accountView, findOwn, isoTime, onlyByUser, orRefusal } from './accounts.ts';

/** Milliseconds for the rest of an account's delay and a change of its skin. */
const CHANGE_LIMIT = 40_000;

/**
 * Lets the caller's account wear a skin as its own, in Minecraft too. Waits for the account's turn.
 * @throws Refusal `not_found`, `skin_not_found`, `blocked_image`, `insufficient_grants`, `invalid_request` for a private
 *   skin that is not to be published, `invalid_image`, `service_unavailable`
 */
export async function wearOnGameAccount(
  context: AccountsContext,
  caller: Caller,
  uuid: string,
  { skin: wanted, publish }: z.output<typeof gameAccountSkinSchema>,
): Promise<GameAccount> {
  await findOwnToChange(context, caller, uuid);
  const { texture_hash, variant } = await readWearable(context, caller, wanted, publish === true);
  await requireUnblocked(context.db, { texture_hash });
  const texture = await findTexture(context.db, texture_hash);
  if (!texture) throw new Refusal('skin_not_found');
  const { png } = texture;
  return await changeSkinOf(context, caller, uuid, (account) => wearAsOwn(account, { png, variant }));
}

/**
 * Gives the caller's account the skin back that it wore before one of this service.
 * @throws Refusal `not_found`, `insufficient_grants`, `invalid_request` if Mojang no longer has it, `service_unavailable`
 */
export async function restoreGameAccount(
  context: AccountsContext,
  caller: Caller,
  uuid: string,
): Promise<GameAccount> {
  await findOwnToChange(context, caller, uuid);
  return await changeSkinOf(context, caller, uuid, async (account) => {
    if (!(await restoreSkin(account)))
      throw new Refusal('invalid_request', 'Mojang no longer has the skin that the account wore before.');
  });
}

/** @throws Refusal `not_found`; `insufficient_grants`, for operators as well; `service_unavailable` while it rests */
async function findOwnToChange({ db, clock }: StoreContext, caller: Caller, uuid: string): Promise<void> {
  const { owner, user, cool_until } = await findOwn(db, caller, uuid);
  if (owner !== caller.owner) throw onlyByUser(user, 'choose its skin');
  if (cool_until > clock.now())
    throw new Refusal('service_unavailable', `Mojang is limiting the account until ${isoTime(cool_until)}.`);
}

async function changeSkinOf(
  context: AccountsContext,
  caller: Caller,
  uuid: string,
  work: (account: HeldAccount) => Promise<void>,
): Promise<GameAccount> {
  const { pool } = context.accounts;
  const taken = await pool.takeThis(uuid, PATIENCE);
  if (!taken) throw new Refusal('service_unavailable', 'The account is in use. Try again in a minute.');
  const signal = AbortSignal.timeout(CHANGE_LIMIT);
  await orRefusal(() => pool.use(taken, { signal }, work)).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
    throw new Refusal('service_unavailable', { message: 'Mojang took too long to change the skin.', cause });
  });
  return accountView(context, await findOwn(context.db, caller, uuid));
}
