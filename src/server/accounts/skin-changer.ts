import { GameError } from '../../game/errors.ts';
import {
  type AccountProfile,
  activeSkin,
  fetchAccount,
  hideCape,
  resetSkin,
  setSkinFromUrl,
} from '../../game/skins.ts';
import type { AccountRow } from '../store/schema/account-tables.ts';
import type { HeldAccount } from './held-account.ts';

/** The record of the account's own skin. */
export function originalOf(profile: AccountProfile): Pick<AccountRow, 'original_url' | 'original_variant'> {
  const skin = activeSkin(profile);
  return { original_url: skin?.url ?? null, original_variant: skin?.variant ?? null };
}

/**
 * Prepares an account for a skin of ours: records its own skin, and hides its cape unless its owner agrees to show it.
 * Requests the profile only if it may have changed.
 */
export async function prepareAccount(
  account: HeldAccount,
  { now, capeMemory }: { readonly now: number; readonly capeMemory: number },
): Promise<void> {
  const { altered, shows_cape, cape_checked_at } = account.row;
  const isBareHeaded = shows_cape === 1 || now - cape_checked_at < capeMemory;
  if (altered === 1 && isBareHeaded) return;
  const profile = await account.call((token, signal) => fetchAccount(account.http, token, signal));
  const wearsCape = profile.capes.some(({ isActive }) => isActive);
  if (wearsCape && shows_cape === 0) {
    await account.call((token, signal) => hideCape(account.http, token, signal));
  }
  await account.note({ cape_checked_at: now, ...(altered === 0 && originalOf(profile)) });
}

/** Sets the skin that the account wore before the first of ours. @throws AccountFault, GameError */
export async function restoreSkin(account: HeldAccount): Promise<void> {
  const { original_url: url, original_variant: variant } = account.row;
  try {
    await account.change(async (token, signal) => {
      if (url === null) await resetSkin(account.http, token, signal);
      else await setSkinFromUrl(account.http, token, { url, variant: variant ?? 'classic', signal });
    });
  } catch (error) {
    if (!(error instanceof GameError && error.kind === 'bad_image')) throw error;
    // The game no longer has that skin: a retry is pointless.
    await account.note({ last_error_code: 'original_gone', last_error_message: error.message });
  }
  await account.note({ altered: 0 });
}
