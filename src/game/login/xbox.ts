import { z } from 'zod';
import { parsedJson } from '../../base/parsed-json.ts';
import { GameError } from '../errors.ts';
import type { GameHttp, GameRequest } from '../http.ts';
import { LoginError } from './login-error.ts';

/** An Xbox authorization: a token and its user hash. */
export interface XboxIdentity {
  readonly userHash: string;
  readonly token: string;
}

const tokenSchema = z.object({
  Token: z.string().min(1).max(16_384),
  DisplayClaims: z.object({
    xui: z.tuple([z.object({ uhs: z.string().regex(/^\d{1,64}$/) })]).rest(z.unknown()),
  }),
});

const refusalSchema = z.object({ XErr: z.number() });

/** Why Xbox refuses an account, by its `XErr`. */
const OBSTACLES: Readonly<Record<number, string>> = {
  2148916227: 'The account is banned from Xbox.',
  2148916229: 'A guardian has restricted the account: they must allow it to play online.',
  2148916233: 'The account has no Xbox profile: sign in once at https://www.xbox.com to make one.',
  2148916234: 'The account has not accepted the terms of Xbox: sign in once at https://www.xbox.com.',
  2148916235: "Xbox is not available in the account's region.",
  2148916236: 'The account needs proof of age: sign in at https://www.xbox.com.',
  2148916237: 'The account has used up its allowed playing time.',
  2148916238: 'The account belongs to someone under 18: an adult must add it to a family at Microsoft.',
};

/** @throws GameError; LoginError `refused`, `xbox` */
export async function enterXbox(
  http: GameHttp,
  accessToken: string,
  signal?: AbortSignal,
): Promise<XboxIdentity> {
  const user = await authenticate(http, accessToken, signal);
  return await authorize(http, user, signal);
}

async function authenticate(http: GameHttp, accessToken: string, signal?: AbortSignal): Promise<string> {
  const Properties = {
    AuthMethod: 'RPS',
    SiteName: 'user.auth.xboxlive.com',
    RpsTicket: `d=${accessToken}`,
  };
  const json = { Properties, RelyingParty: 'http://auth.xboxlive.com', TokenType: 'JWT' };
  const path = '/user/authenticate';
  return (await exchange(http, { service: 'xbox', path, json, secret: accessToken, signal })).token;
}

async function authorize(http: GameHttp, userToken: string, signal?: AbortSignal): Promise<XboxIdentity> {
  const Properties = { SandboxId: 'RETAIL', UserTokens: [userToken] };
  const json = { Properties, RelyingParty: 'rp://api.minecraftservices.com/', TokenType: 'JWT' };
  const path = '/xsts/authorize';
  return await exchange(http, { service: 'xsts', path, json, secret: userToken, signal });
}

async function exchange(http: GameHttp, request: Omit<GameRequest, 'method'>): Promise<XboxIdentity> {
  const { status, bytes } = await http.send({ method: 'POST', answers: [400, 401, 403], ...request });
  const said = parsedJson(bytes);
  if (status >= 300) throw refusedBy(refusalSchema.safeParse(said).data?.XErr);
  const parsed = tokenSchema.safeParse(said);
  if (!parsed.success) {
    throw new GameError('unexpected', `Xbox answered ${status} with an unexpected body.`, {
      status,
    });
  }
  const { Token: token, DisplayClaims } = parsed.data;
  return { token, userHash: DisplayClaims.xui[0].uhs };
}

function refusedBy(xErr: number | undefined): LoginError {
  if (xErr === undefined) return new LoginError('refused', 'Xbox rejected the sign-in.');
  return new LoginError('xbox', OBSTACLES[xErr] ?? `Xbox does not let the account in (XErr ${xErr}).`);
}
