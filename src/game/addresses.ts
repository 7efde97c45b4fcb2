import { z } from 'zod';
import { parsedJson } from '../base/text.ts';

/** Base URLs of the game's services, without trailing slashes. A path prefix is kept. */
export interface GameAddresses {
  /** Signed profiles of players. */
  readonly sessionServer: string;
  /** Accounts, their skins, players' names. */
  readonly services: string;
  /** Textures; the only host that textures are fetched from. */
  readonly textures: string;
  /** The list of public keys for signed profiles: the complete URL. */
  readonly publicKeys: string;
  /** Microsoft sign-in: device codes and tokens. */
  readonly microsoft: string;
  /** Xbox Live user tokens and XSTS authorization. */
  readonly xbox: string;
  readonly xsts: string;
  /** Geyser's public service: skins of players of Bedrock Edition. */
  readonly geyser: string;
}

export const GAME_ADDRESSES: GameAddresses = {
  sessionServer: 'https://sessionserver.mojang.com',
  services: 'https://api.minecraftservices.com',
  textures: 'https://textures.minecraft.net',
  publicKeys: 'https://api.minecraftservices.com/publickeys',
  microsoft: 'https://login.microsoftonline.com',
  xbox: 'https://user.auth.xboxlive.com',
  xsts: 'https://xsts.auth.xboxlive.com',
  geyser: 'https://api.geysermc.org',
};

const MAX_ADDRESS_LENGTH = 256;

const addressSchema = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .transform((text, context) => {
    const url = URL.parse(text);
    const problem = text.includes('@') ? 'an address must not have a user name or password' : problemOf(url);
    if (url && problem === undefined) return url.origin + url.pathname.replace(/\/+$/, '');
    context.addIssue({ code: 'custom', message: `${problem}; write it like https://example.org` });
    return z.NEVER;
  });

/** The setting: each address defaults to the game's own. */
export const gameAddressesSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(GAME_ADDRESSES).map(([name, usual]) => [name, addressSchema.default(usual)]),
  ) as Record<keyof GameAddresses, z.ZodDefault<typeof addressSchema>>,
);

/** The setting in a single variable: JSON with the addresses that differ. */
export function readGameAddresses(
  json: string,
): { addresses: GameAddresses; problem?: never } | { addresses?: never; problem: string } {
  const parsed = gameAddressesSchema.safeParse(parsedJson(json));
  if (parsed.success) return { addresses: parsed.data };
  const issue = parsed.error.issues[0];
  return { problem: [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ') };
}

function problemOf(url: URL | null): string | undefined {
  if (!url) return 'this is not an address';
  if (!/^https?:$/.test(url.protocol)) return 'this is not an http address';
  if (url.search || url.hash) return 'an address must not have a query or fragment';
  return undefined;
}
