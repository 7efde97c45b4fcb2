import { z } from 'zod';
import { GameError } from '../errors.ts';
import type { GameHttp } from '../http.ts';
import { LoginError } from './login-error.ts';
import { enterXbox, type XboxIdentity } from './xbox.ts';

/** A game access token of an account. */
export interface GameToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const loginSchema = z.object({
  access_token: z.string().min(1).max(16_384),
  expires_in: z.number().positive().max(31_536_000),
});

/**
 * Exchanges a Microsoft access token for one of the game: Xbox, XSTS, the game's own login. There is no refresh
 * token for it; all steps are repeated.
 * @throws GameError; LoginError `refused`, `xbox`, `not_approved`
 */
export async function enterGame(
  http: GameHttp,
  accessToken: string,
  signal?: AbortSignal,
): Promise<GameToken> {
  const identity = await enterXbox(http, accessToken, signal);
  try {
    return await logIn(http, identity, signal);
  } catch (error) {
    throw asLoginError(error) ?? error;
  }
}

async function logIn(
  http: GameHttp,
  { userHash, token }: XboxIdentity,
  signal?: AbortSignal,
): Promise<GameToken> {
  const json = { identityToken: `XBL3.0 x=${userHash};${token}` };
  const path = '/authentication/login_with_xbox';
  const request = { service: 'login', method: 'POST', path, json, secret: token, signal } as const;
  const { access_token, expires_in } = await http.json(request, loginSchema);
  return { token: access_token, expiresAt: http.clock.now() + expires_in * 1000 };
}

function asLoginError(error: unknown): LoginError | undefined {
  if (!(error instanceof GameError)) return undefined;
  if (error.status === 401) return new LoginError('refused', 'The game does not accept the sign-in.');
  if (error.status !== 403) return undefined;
  const message =
    'The game does not know the application with this client id. Request its approval ' +
    'at https://aka.ms/mce-reviewappid; this can take weeks.';
  return new LoginError('not_approved', message);
}
