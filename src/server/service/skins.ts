import { findSkin, listOwnSkins, listPublicSkins, type SkinPage, type SkinWithData } from '../store/skins.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { requireUser } from './keys.ts';
import { Refusal } from './refusal.ts';

/**
 * A skin by its UUID: public and unlisted ones to whoever has it, a private one to its owner alone;
 * to all others it is as if it were not there.
 * @throws Refusal `skin_not_found`
 */
export async function readSkin(context: ServiceContext, caller: Caller, uuid: string): Promise<SkinWithData> {
  const skin = await findSkin(context.db, uuid);
  if (!skin || (skin.visibility === 'private' && skin.owner !== caller.owner))
    throw new Refusal('skin_not_found');
  return skin;
}

export async function readPublicSkins(context: ServiceContext, page: SkinPage): Promise<SkinWithData[]> {
  return await listPublicSkins(context.db, page);
}

export async function readOwnSkins(
  context: ServiceContext,
  caller: Caller,
  page: SkinPage,
): Promise<SkinWithData[]> {
  return await listOwnSkins(context.db, requireUser(caller).owner, page);
}
