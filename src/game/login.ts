import { z } from 'zod';
import { parsedJson } from '../base/text.ts';
import { type GameAnswer, GameError } from './errors.ts';
import type { GameHttp, GameRequest } from './http.ts';

type LoginErrorKind =
  /** The owner entered the code but denied access. */
  | 'declined'
  /** No one entered the code in time. */
  | 'expired'
  /** The stored sign-in is no longer valid. */
  | 'refused'
  /** The client application: its id is unknown or misconfigured. */
  | 'client'
  /** The game does not know the application. */
  | 'not_approved'
  /** Xbox refuses this Microsoft account. */
  | 'xbox';

/** `message` is a sentence for the operator; it contains no token and no text from a service. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
  readonly kind: LoginErrorKind;

  constructor(kind: LoginErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * The Microsoft part of the sign-in: OAuth 2.0 device authorization (RFC 8628) with the operator's own
 * application. Called directly, because prismarine-auth starts a new login when a refresh fails and cannot use
 * other addresses.
 */
export interface DeviceLogin {
  /** Secret: known only to this program. */
  readonly deviceCode: string;
  /** The code for the account's owner, and the URL to enter it. */
  readonly userCode: string;
  readonly verificationUri: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Minimum milliseconds between two polls. */
  readonly interval: number;
}

export interface MicrosoftTokens {
  readonly accessToken: string;
  /** Replaces the previous one, which may be invalid from now on. */
  readonly refreshToken: string;
}

interface OwnOptions {
  /** Id of the operator's Microsoft application. */
  readonly clientId: string;
  readonly signal?: AbortSignal | undefined;
}

const OAUTH = '/consumers/oauth2/v2.0';
const SCOPE = 'XboxLive.signin offline_access';
const DEFAULT_INTERVAL = 5;

const deviceSchema = z.object({
  device_code: z.string().min(1).max(2048),
  user_code: z.string().min(1).max(64),
  verification_uri: z.url({ protocol: /^https$/ }).max(256),
  expires_in: z.number().positive().max(86_400),
  interval: z.number().positive().max(300).default(DEFAULT_INTERVAL),
});

const tokensSchema = z.object({
  access_token: z.string().min(1).max(16_384),
  refresh_token: z.string().min(1).max(16_384),
});

const oauthErrorSchema = z.object({ error: z.string().regex(/^\w{1,64}$/) });

/** The meaning of OAuth error codes. Any other code is unexpected. */
const MEANINGS: Readonly<Record<string, readonly [LoginErrorKind, string]>> = {
  authorization_declined: ['declined', 'The sign-in was declined.'],
  access_denied: ['declined', 'The sign-in was declined.'],
  expired_token: ['expired', 'No one entered the code in time.'],
  bad_verification_code: ['expired', 'Microsoft no longer knows this sign-in.'],
  invalid_grant: ['refused', 'Microsoft rejected the token: it has expired, was revoked, or is invalid.'],
  interaction_required: ['refused', 'Microsoft wants the owner of the account to sign in again.'],
  login_required: ['refused', 'Microsoft wants the owner of the account to sign in again.'],
  consent_required: ['refused', 'Microsoft wants the owner of the account to agree again.'],
  invalid_client: ['client', 'Microsoft rejected the client ID.'],
  unauthorized_client: ['client', 'The client ID does not allow device code sign-in.'],
  invalid_scope: ['client', 'The client ID may not request Xbox access.'],
  invalid_request: ['client', 'Microsoft rejected the request: check the client ID.'],
};

/** @throws GameError; LoginError `client` */
export async function beginDeviceLogin(
  http: GameHttp,
  { clientId, signal }: OwnOptions,
): Promise<DeviceLogin> {
  const fields = { client_id: clientId, scope: SCOPE };
  const answer = await ask(http, `${OAUTH}/devicecode`, { fields, signal });
  const read = readAnswer(answer, deviceSchema);
  return {
    deviceCode: read.device_code,
    userCode: read.user_code,
    verificationUri: read.verification_uri,
    expiresAt: http.clock.now() + read.expires_in * 1000,
    interval: read.interval * 1000,
  };
}

/**
 * Polls whether the code has been entered. `slow_down`: not yet, and poll five seconds less often.
 * @throws GameError; LoginError `declined`, `expired`, `client`
 */
export async function pollDeviceLogin(
  http: GameHttp,
  { clientId, deviceCode, signal }: OwnOptions & { readonly deviceCode: string },
): Promise<MicrosoftTokens | 'pending' | 'slow_down'> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const fields = { grant_type, client_id: clientId, device_code: deviceCode };
  const answer = await ask(http, `${OAUTH}/token`, { fields, signal, secret: deviceCode });
  const error = oauthErrorOf(answer);
  if (error === 'authorization_pending') return 'pending';
  return error === 'slow_down' ? error : readTokens(answer);
}

/** Refreshes the tokens: store the new refresh token before anything else. @throws GameError; LoginError */
export async function refreshMicrosoft(
  http: GameHttp,
  { clientId, refreshToken, signal }: OwnOptions & { readonly refreshToken: string },
): Promise<MicrosoftTokens> {
  const fields = {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
    scope: SCOPE,
  };
  return readTokens(await ask(http, `${OAUTH}/token`, { fields, signal, secret: refreshToken }));
}

interface Asked {
  readonly fields: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly signal: AbortSignal | undefined;
}

async function ask(http: GameHttp, path: string, asked: Asked): Promise<GameAnswer> {
  return await http.send({ service: 'microsoft', method: 'POST', path, answers: [400, 401], ...asked });
}

function readTokens(answer: GameAnswer): MicrosoftTokens {
  const { access_token, refresh_token } = readAnswer(answer, tokensSchema);
  return { accessToken: access_token, refreshToken: refresh_token };
}

function oauthErrorOf({ status, bytes }: GameAnswer): string | undefined {
  if (status < 300) return undefined;
  return oauthErrorSchema.safeParse(parsedJson(bytes)).data?.error;
}

/** @throws LoginError for Microsoft's errors; GameError `unexpected` for an unexpected answer */
function readAnswer<S extends z.ZodType>(answer: GameAnswer, schema: S): z.output<S> {
  const { status, bytes } = answer;
  const error = oauthErrorOf(answer);
  const known = error === undefined ? undefined : MEANINGS[error];
  if (known) throw new LoginError(...known);
  const parsed = status < 300 ? schema.safeParse(parsedJson(bytes)) : undefined;
  if (parsed?.success) return parsed.data;
  const what = error === undefined ? '' : ` (${error})`;
  throw new GameError('unexpected', `Microsoft answered ${status} with an unknown error${what}.`, { status });
}

/** An Xbox authorization: a token and its user hash. */
interface XboxIdentity {
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
async function enterXbox(http: GameHttp, accessToken: string, signal?: AbortSignal): Promise<XboxIdentity> {
  const ticket = { AuthMethod: 'RPS', SiteName: 'user.auth.xboxlive.com', RpsTicket: `d=${accessToken}` };
  const { token: userToken } = await exchange(http, {
    service: 'xbox',
    path: '/user/authenticate',
    json: { Properties: ticket, RelyingParty: 'http://auth.xboxlive.com', TokenType: 'JWT' },
    secret: accessToken,
    signal,
  });
  const Properties = { SandboxId: 'RETAIL', UserTokens: [userToken] };
  return await exchange(http, {
    service: 'xsts',
    path: '/xsts/authorize',
    json: { Properties, RelyingParty: 'rp://api.minecraftservices.com/', TokenType: 'JWT' },
    secret: userToken,
    signal,
  });
}

async function exchange(http: GameHttp, request: Omit<GameRequest, 'method'>): Promise<XboxIdentity> {
  const { status, bytes } = await http.send({ method: 'POST', answers: [400, 401, 403], ...request });
  const said = parsedJson(bytes);
  if (status >= 300) throw refusedBy(refusalSchema.safeParse(said).data?.XErr);
  const parsed = tokenSchema.safeParse(said);
  if (!parsed.success)
    throw new GameError('unexpected', `Xbox answered ${status} with an unexpected body.`, { status });
  const { Token: token, DisplayClaims } = parsed.data;
  return { token, userHash: DisplayClaims.xui[0].uhs };
}

function refusedBy(xErr: number | undefined): LoginError {
  if (xErr === undefined) return new LoginError('refused', 'Xbox rejected the sign-in.');
  return new LoginError('xbox', OBSTACLES[xErr] ?? `Xbox refused the account (XErr ${xErr}).`);
}

interface GameToken {
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
  if (error.status === 401) return new LoginError('refused', 'Minecraft does not accept the sign-in.');
  if (error.status !== 403) return undefined;
  const message =
    'Mojang does not know the application with this client ID. Request its approval ' +
    'at https://aka.ms/mce-reviewappid; this can take weeks.';
  return new LoginError('not_approved', message);
}
