import { z } from 'zod';
import { GameError } from './errors.ts';
import type { GameHttp, GameRequest } from './http.ts';
import { playerIdSchema } from './names.ts';

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

interface AccountCape {
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

const PROFILE = '/minecraft/profile';

/**
 * The account's own profile. Having one means owning the game, by purchase or subscription.
 * @throws GameError, `no_profile` if the account never created a Java profile
 */
export async function fetchAccount(
  http: GameHttp,
  token: string,
  signal?: AbortSignal,
): Promise<AccountProfile> {
  return await call(http, { path: PROFILE, token, signal });
}

interface SkinUpload {
  readonly png: Uint8Array;
  readonly variant: 'classic' | 'slim';
}

/** Sets the account's skin. Returns the new one: the signed profile must eventually show its URL. @throws GameError */
export async function uploadSkin(
  http: GameHttp,
  token: string,
  { png, variant, signal }: SkinUpload & { readonly signal?: AbortSignal | undefined },
): Promise<AccountSkin> {
  const { FormData } = await import('undici'); // its class, not Node's: the sender is undici's
  const form = new FormData();
  form.set('variant', variant);
  form.set('file', new File([new Uint8Array(png)], 'skin.png', { type: 'image/png' }));
  return activeOf(await change(http, { token, form, signal }));
}

/** Sets the account's skin to an existing texture, such as to restore the previous one. @throws GameError */
export async function setSkinFromUrl(
  http: GameHttp,
  token: string,
  { url, variant, signal }: Omit<AccountSkin, 'isActive'> & { readonly signal?: AbortSignal | undefined },
): Promise<AccountSkin> {
  return activeOf(await change(http, { token, json: { variant, url }, signal }));
}

/** Resets to the default skin. @throws GameError */
export async function resetSkin(
  http: GameHttp,
  token: string,
  signal?: AbortSignal,
): Promise<AccountProfile> {
  return await call(http, { method: 'DELETE', path: `${PROFILE}/skins/active`, token, signal });
}

/** Takes the account's cape off; the capes it owns do not change. @throws GameError */
export async function hideCape(http: GameHttp, token: string, signal?: AbortSignal): Promise<AccountProfile> {
  return await call(http, { method: 'DELETE', path: `${PROFILE}/capes/active`, token, signal });
}

/** The account's current skin; undefined: a default one. */
export function activeSkin({ skins }: AccountProfile): AccountSkin | undefined {
  return skins.find(({ isActive }) => isActive);
}

/** 400 means the request was invalid, so it never concerns the account. */
async function change(
  http: GameHttp,
  request: Pick<GameRequest, 'token' | 'json' | 'form' | 'signal'>,
): Promise<AccountProfile> {
  const path = `${PROFILE}/skins`;
  return await call(http, {
    method: 'POST',
    path,
    meanings: { ...ABOUT_PROFILE, 400: 'bad_image' },
    ...request,
  });
}

/** Only here does 404 concern the account: elsewhere it may be a missing texture. */
const ABOUT_PROFILE = { 404: 'no_profile' } as const;

async function call(http: GameHttp, request: Omit<GameRequest, 'service'>): Promise<AccountProfile> {
  const asked = { service: 'account', meanings: ABOUT_PROFILE, ...request } as const;
  const { skins, capes, ...rest } = await http.json(asked, profileSchema);
  return { ...rest, skins: skins.map(withActivity), capes: capes.map(withActivity) };
}

/** Inactive entries may be listed too, even first. */
function withActivity<T extends { state: string }>({
  state,
  ...rest
}: T): Omit<T, 'state'> & { isActive: boolean } {
  return { ...rest, isActive: state.toUpperCase() === 'ACTIVE' };
}

function activeOf(profile: AccountProfile): AccountSkin {
  const skin = activeSkin(profile);
  if (skin) return skin;
  throw new GameError('unexpected', `Mojang accepted a skin for ${profile.id} but shows none as active.`);
}
