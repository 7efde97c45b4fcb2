import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, ok, shaped } from './answers.ts';
import type { Call, CallKind } from './calls.ts';
import { readJson } from './forms.ts';
import type { People } from './people.ts';

export type LoginKind = Extract<CallKind, 'device_code' | 'token' | 'xbox' | 'xsts' | 'login'>;

export interface MicrosoftOptions {
  /** Seconds between two polls for a device code; default: 1. */
  readonly interval?: number | undefined;
  /** Client IDs that the game has approved; default: all. */
  readonly approvedClients?: readonly string[] | undefined;
  readonly now: () => number;
}

interface Grant {
  /** UUID of the game account. */
  readonly account: string;
  readonly client: string;
}

interface DeviceCode {
  readonly client: string;
  readonly userCode: string;
  readonly expiresAt: number;
  /** Undefined until someone enters the code. */
  decision?: { readonly account: string } | 'declined';
}

const CODE_LIFE = 900;
const DAY = 86_400_000;

const xboxSchema = z.object({
  RelyingParty: z.literal('http://auth.xboxlive.com'),
  TokenType: z.literal('JWT'),
  Properties: z.object({
    AuthMethod: z.literal('RPS'),
    SiteName: z.literal('user.auth.xboxlive.com'),
    RpsTicket: z.string().regex(/^[dt]=/),
  }),
});
const xstsSchema = z.object({
  RelyingParty: z.literal('rp://api.minecraftservices.com/'),
  TokenType: z.literal('JWT'),
  Properties: z.object({ SandboxId: z.literal('RETAIL'), UserTokens: z.array(z.string()).length(1) }),
});
const loginSchema = z.object({ identityToken: z.string().regex(/^XBL3\.0 x=[^;]+;.+$/) });

/**
 * Logging in with a Microsoft account: device code, tokens, Xbox, XSTS, and the game's own login. Refresh tokens
 * are good for one use: each answer has the next.
 */
export class Microsoft {
  readonly #people: People;
  readonly #options: MicrosoftOptions;
  readonly #codes = new Map<string, DeviceCode>();
  /** By token, for each kind of them. A ticket is kept with its prefix. */
  readonly #refreshes = new Map<string, Grant>();
  readonly #tickets = new Map<string, Grant>();
  readonly #userTokens = new Map<string, Grant>();
  readonly #identities = new Map<string, Grant>();
  /** XSTS's refusal of an account. */
  readonly #obstacles = new Map<string, number>();
  readonly #handlers: Readonly<Record<LoginKind, (call: Call) => Answer>> = {
    device_code: (call) => this.#deviceCode(call),
    token: (call) => this.#token(call),
    xbox: (call) => this.#xbox(call),
    xsts: (call) => this.#xsts(call),
    login: (call) => this.#login(call),
  };

  constructor(people: People, options: MicrosoftOptions) {
    this.#people = people;
    this.#options = options;
  }

  answer(kind: LoginKind, call: Call): Answer {
    return this.#handlers[kind](call);
  }

  /** Codes that nobody has entered yet. */
  *userCodes(): Generator<string> {
    for (const { userCode, decision } of this.#codes.values()) if (decision === undefined) yield userCode;
  }

  /** The owner of an account enters the code that the program shows. */
  approve(userCode: string, account: string): void {
    this.#codeOf(userCode).decision = { account };
  }

  decline(userCode: string): void {
    this.#codeOf(userCode).decision = 'declined';
  }

  /** XSTS refuses the account with this code; undefined: no longer. */
  obstruct(account: string, xErr: number | undefined): void {
    if (xErr === undefined) this.#obstacles.delete(account);
    else this.#obstacles.set(account, xErr);
  }

  /** A refresh token as the last login of the account left it. */
  refreshToken(account: string, client = 'client'): string {
    const token = `M.C5_${randomBytes(12).toString('hex')}`;
    this.#refreshes.set(token, { account, client });
    return token;
  }

  /** The owner withdraws the permission: refreshing fails from now on. */
  revoke(account: string): void {
    for (const [token, grant] of this.#refreshes)
      if (grant.account === account) this.#refreshes.delete(token);
  }

  #codeOf(userCode: string): DeviceCode {
    const code = [...this.#codes.values()].find((known) => known.userCode === userCode);
    if (code) return code;
    throw new Error(`Nobody was given the code ${userCode}.`);
  }

  #deviceCode(call: Call): Answer {
    const form = new URLSearchParams(call.body.toString());
    const client = form.get('client_id');
    if (!client || !form.get('scope')) return refused('invalid_request');
    const deviceCode = randomBytes(20).toString('hex');
    const userCode = randomBytes(4).toString('hex').toUpperCase();
    this.#codes.set(deviceCode, { client, userCode, expiresAt: this.#options.now() + CODE_LIFE * 1000 });
    const uri = 'https://www.microsoft.com/link';
    return ok({
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: uri,
      expires_in: CODE_LIFE,
      interval: this.#options.interval ?? 1,
      message: `Open ${uri} and enter the code ${userCode}.`,
    });
  }

  #token(call: Call): Answer {
    const form = new URLSearchParams(call.body.toString());
    const client = form.get('client_id') ?? '';
    switch (form.get('grant_type')) {
      case 'urn:ietf:params:oauth:grant-type:device_code':
        return this.#poll(form.get('device_code') ?? '', client, call);
      case 'refresh_token':
        return this.#refresh(form.get('refresh_token') ?? '', client, call);
      default:
        return refused('unsupported_grant_type');
    }
  }

  #poll(deviceCode: string, client: string, call: Call): Answer {
    const code = this.#codes.get(deviceCode);
    if (!code || code.client !== client) return refused('bad_verification_code');
    if (code.expiresAt <= this.#options.now()) return refused('expired_token');
    if (code.decision === undefined) return refused('authorization_pending');
    if (code.decision === 'declined') return refused('authorization_declined');
    this.#codes.delete(deviceCode);
    return this.#grant({ account: code.decision.account, client }, call);
  }

  #refresh(token: string, client: string, call: Call): Answer {
    const grant = this.#refreshes.get(token);
    if (!grant || grant.client !== client) return refused('invalid_grant');
    this.#refreshes.delete(token);
    return this.#grant(grant, call);
  }

  #grant(grant: Grant, { origin }: Call): Answer {
    const token = `EwB${randomBytes(24).toString('hex')}`;
    this.#tickets.set(`${origin === 'live' ? 't' : 'd'}=${token}`, grant);
    return ok({
      token_type: 'bearer',
      scope: 'XboxLive.signin XboxLive.offline_access',
      expires_in: 3600,
      access_token: token,
      refresh_token: this.refreshToken(grant.account, grant.client),
    });
  }

  #xbox({ body }: Call): Answer {
    const sent = xboxSchema.safeParse(readJson(body));
    const grant = this.#tickets.get(sent.data?.Properties.RpsTicket ?? '');
    if (!sent.success) return { status: 400 };
    return grant ? this.#xboxToken(this.#userTokens, grant) : { status: 401 };
  }

  #xsts({ body }: Call): Answer {
    const sent = xstsSchema.safeParse(readJson(body));
    if (!sent.success) return { status: 400 };
    const grant = this.#userTokens.get(sent.data.Properties.UserTokens[0]!);
    if (!grant) return { status: 401 };
    const XErr = this.#obstacles.get(grant.account);
    if (XErr === undefined) return this.#xboxToken(this.#identities, grant);
    return { status: 401, content: { Identity: '0', XErr, Message: '', Redirect: 'https://start.example/' } };
  }

  #xboxToken(tokens: Map<string, Grant>, grant: Grant): Answer {
    const Token = randomBytes(24).toString('base64url');
    tokens.set(Token, grant);
    const now = this.#options.now();
    const [IssueInstant, NotAfter] = [now, now + DAY].map((time) => new Date(time).toISOString());
    return ok({ IssueInstant, NotAfter, Token, DisplayClaims: { xui: [{ uhs: userHash(grant.account) }] } });
  }

  #login({ body }: Call): Answer {
    const path = '/authentication/login_with_xbox';
    const sent = loginSchema.safeParse(readJson(body));
    const [, hash, token = ''] = /x=([^;]+);(.+)$/.exec(sent.data?.identityToken ?? '') ?? [];
    const grant = this.#identities.get(token);
    const person = this.#people.byId(grant?.account ?? '');
    if (!grant || !person || hash !== userHash(grant.account)) return { status: 401, content: { path } };
    const { approvedClients } = this.#options;
    if (approvedClients && !approvedClients.includes(grant.client)) {
      const errorMessage = 'Invalid app registration, see https://aka.ms/AppRegInfo for more information';
      return shaped(403, 'json', { path, errorMessage });
    }
    const access_token = this.#people.issueToken(person);
    return ok({ username: randomUUID(), roles: [], access_token, token_type: 'Bearer', expires_in: 86_400 });
  }
}

function refused(error: string): Answer {
  return { status: 400, content: { error, error_description: `The request was refused: ${error}.` } };
}

function userHash(account: string): string {
  return BigInt(`0x${account.slice(0, 15)}`).toString();
}
