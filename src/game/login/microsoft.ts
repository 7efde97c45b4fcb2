import { z } from 'zod';
import { parsedJson } from '../../base/parsed-json.ts';
import type { GameAnswer } from '../answer.ts';
import { GameError } from '../errors.ts';
import type { GameHttp } from '../http.ts';
import { LoginError, type LoginErrorKind } from './login-error.ts';

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
  invalid_client: ['client', 'Microsoft rejected the client id.'],
  unauthorized_client: ['client', 'The client id does not allow device code sign-in.'],
  invalid_scope: ['client', 'The client id may not ask for access to Xbox.'],
  invalid_request: ['client', 'Microsoft rejected the request: check the client id.'],
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
  throw new GameError('unexpected', `Microsoft answered ${status} with an unknown error${what}.`, {
    status,
  });
}
