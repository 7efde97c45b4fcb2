import { z } from 'zod';
import type { TokenCipher } from './token-cipher.ts';

const tokensSchema = z.object({
  /** For the game's services; null: to be had with the refresh token. `expiresAt` null: it does not say. */
  game: z.object({ token: z.string(), expiresAt: z.number().nullable() }).nullable(),
  /** For Microsoft, as the application that it was given to; null: there is none, only the owner can renew. */
  refresh: z.object({ token: z.string(), clientId: z.string() }).nullable(),
});
/** All that an account can be used with. */
export type AccountTokens = z.infer<typeof tokensSchema>;

export async function sealTokens(cipher: TokenCipher, uuid: string, tokens: AccountTokens): Promise<string> {
  return await cipher.seal(uuid, JSON.stringify(tokens));
}

/** @throws AccountKeyError */
export async function openTokens(cipher: TokenCipher, uuid: string, sealed: string): Promise<AccountTokens> {
  return tokensSchema.parse(JSON.parse(await cipher.open(uuid, sealed)));
}
