import { GameError } from '../../../game/errors.ts';
import type { Game } from '../../../game/game.ts';
import { findAccount } from '../../store/accounts.ts';
import type { StoreContext, UserCaller } from '../callers.ts';
import type { LookupBudget } from '../lookups.ts';
import { Refusal } from '../refusal.ts';

interface ClaimContext extends StoreContext {
  readonly game: Game;
  readonly wardrobe: { readonly claims: LookupBudget };
}

/**
 * The name of a Minecraft account belongs to whoever has linked that account here.
 * @throws Refusal `insufficient_grants`; `service_unavailable` while Mojang cannot tell
 */
export async function requireNoAccount(
  { db, game, wardrobe }: ClaimContext,
  user: UserCaller,
  name: string,
): Promise<void> {
  const holder = { name: user.owner, isKnown: true };
  const player = await tellingWhyNot(() =>
    wardrobe.claims.during(holder, async () => await game.names.find(name)),
  );
  if (!player || (await findAccount(db, player.id))?.owner === user.owner) return;
  throw new Refusal(
    'insufficient_grants',
    `${player.name} is the name of a Minecraft account. Link that account, or ask an operator for the name.`,
  );
}

async function tellingWhyNot<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof GameError)) throw cause;
    throw new Refusal('service_unavailable', {
      message:
        'Mojang cannot tell now whether this is the name of a Minecraft account. Try again in a minute.',
      cause,
    });
  }
}
