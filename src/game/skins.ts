import { FormData } from 'undici';
import { z } from 'zod';
import { GameError } from './errors.ts';
import type { GameHttp, GameRequest } from './http.ts';
import { playerIdSchema } from './profiles.ts';

/** An account as its owner sees it. */
export interface AccountProfile {
  /** 32 lower-case hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly skins: readonly AccountSkin[];
  readonly capes: readonly AccountCape[];
}

export interface AccountSkin {
  readonly url: string;
  readonly variant: 'classic' | 'slim';
  readonly isActive: boolean;
}

export interface AccountCape {
  readonly id: string;
  readonly url: string;
  readonly isActive: boolean;
}

const entry = { state: z.string().max(32), url: z.url().max(512) };

const profileSchema = z.object({
  id: playerIdSchema,
  name: z.string().min(1).max(64),
  skins: z
    .array(
      z.object({
        ...entry,
        variant: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['classic', 'slim'])),
      }),
    )
    .max(256),
  capes: z
    .array(z.object({ ...entry, id: z.string().max(64) }))
    .max(256)
    .default([]),
});

const entitlementsSchema = z.object({ items: z.array(z.object({ name: z.string().max(256) })).max(1024) });

const PROFILE = '/minecraft/profile';
const GAME_ITEMS: ReadonlySet<string> = new Set(['game_minecraft', 'product_minecraft']);

/** The profile of the account itself. @throws GameError, `not_found` when it never made a Java profile */
export async function fetchAccount(
  http: GameHttp,
  token: string,
  signal?: AbortSignal,
): Promise<AccountProfile> {
  return await call(http, { path: PROFILE, token, signal });
}

/**
 * Whether the account owns the game. One that plays by subscription may have no item of it, but has a profile.
 * @throws GameError
 */
export async function ownsGame(http: GameHttp, token: string, signal?: AbortSignal): Promise<boolean> {
  const request = { service: 'account', path: '/entitlements/mcstore', token, signal } as const;
  const { items } = await http.json(request, entitlementsSchema);
  if (items.some(({ name }) => GAME_ITEMS.has(name))) return true;
  try {
    await fetchAccount(http, token, signal);
    return true;
  } catch (error) {
    if (error instanceof GameError && error.kind === 'not_found') return false;
    throw error;
  }
}

export interface SkinUpload {
  readonly png: Uint8Array;
  readonly variant: 'classic' | 'slim';
}

/** Sets the account's skin. Answers the new one: its URL is what the signed profile must come to show. @throws GameError */
export async function uploadSkin(
  http: GameHttp,
  token: string,
  { png, variant, signal }: SkinUpload & { readonly signal?: AbortSignal | undefined },
): Promise<AccountSkin> {
  const form = new FormData();
  form.set('variant', variant);
  form.set('file', new File([new Uint8Array(png)], 'skin.png', { type: 'image/png' }));
  return activeOf(await change(http, { token, form, signal }));
}

/** Sets the account's skin to one that the game has already, as to restore the one before. @throws GameError */
export async function setSkinFromUrl(
  http: GameHttp,
  token: string,
  { url, variant, signal }: Omit<AccountSkin, 'isActive'> & { readonly signal?: AbortSignal | undefined },
): Promise<AccountSkin> {
  return activeOf(await change(http, { token, json: { variant, url }, signal }));
}

/** Back to the default skin. @throws GameError */
export async function resetSkin(
  http: GameHttp,
  token: string,
  signal?: AbortSignal,
): Promise<AccountProfile> {
  return await call(http, { method: 'DELETE', path: `${PROFILE}/skins/active`, token, signal });
}

/** The account wears no cape any more; which ones it owns does not change. @throws GameError */
export async function hideCape(http: GameHttp, token: string, signal?: AbortSignal): Promise<AccountProfile> {
  return await call(http, { method: 'DELETE', path: `${PROFILE}/capes/active`, token, signal });
}

/** The skin that the account wears; undefined: a default one. */
export function activeSkin({ skins }: AccountProfile): AccountSkin | undefined {
  return skins.find(({ isActive }) => isActive);
}

/** 400 is about what was sent, so never about the account. */
async function change(
  http: GameHttp,
  request: Pick<GameRequest, 'token' | 'json' | 'form' | 'signal'>,
): Promise<AccountProfile> {
  const path = `${PROFILE}/skins`;
  return await call(http, { method: 'POST', path, meanings: { 400: 'bad_image' }, ...request });
}

async function call(http: GameHttp, request: Omit<GameRequest, 'service'>): Promise<AccountProfile> {
  const { skins, capes, ...rest } = await http.json({ service: 'account', ...request }, profileSchema);
  return { ...rest, skins: skins.map(withActivity), capes: capes.map(withActivity) };
}

/** Entries that are not worn any more may be listed too, and may come first. */
function withActivity<T extends { state: string }>({
  state,
  ...rest
}: T): Omit<T, 'state'> & { isActive: boolean } {
  return { ...rest, isActive: state.toUpperCase() === 'ACTIVE' };
}

function activeOf(profile: AccountProfile): AccountSkin {
  const skin = activeSkin(profile);
  if (skin) return skin;
  throw new GameError('unexpected', `The game took a skin for ${profile.id}, but shows none as active.`);
}
