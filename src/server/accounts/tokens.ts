import { z } from 'zod';
import type { TokenCipher } from './token-cipher.ts';

const tokensSchema = z.object({
  /** For the game's services; null: available with the refresh token. `expiresAt` null: unknown. */
  game: z.object({ token: z.string(), expiresAt: z.number().nullable() }).nullable(),
  /** For Microsoft, with the application it was issued to; null: there is none, only the owner can sign in again. */
  refresh: z.object({ token: z.string(), clientId: z.string() }).nullable(),
});
/** All tokens of an account. */
export type AccountTokens = z.infer<typeof tokensSchema>;

export async function sealTokens(cipher: TokenCipher, uuid: string, tokens: AccountTokens): Promise<string> {
  return await cipher.seal(uuid, JSON.stringify(tokens));
}

/** @throws AccountKeyError */
export async function openTokens(cipher: TokenCipher, uuid: string, sealed: string): Promise<AccountTokens> {
  return tokensSchema.parse(JSON.parse(await cipher.open(uuid, sealed)));
}
