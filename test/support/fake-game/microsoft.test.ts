import { describe, expect, test } from 'vitest';
import { fetchAccount } from '../../../src/game/skins.ts';
import type { FakeGame } from './fake-game.ts';
import { callGame, runGame } from './run-game.ts';

interface Heard {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a service says.
  readonly body: any;
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

async function post(url: string, body: URLSearchParams | object): Promise<Heard> {
  const isForm = body instanceof URLSearchParams;
  const headers = isForm ? {} : { 'content-type': 'application/json' };
  const sent = isForm ? body : JSON.stringify(body);
  const answer = await fetch(url, { method: 'POST', headers, body: sent });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** The calls of a login one by one, as a program with the client id `client` makes them. */
function loginOf({ addresses, loginAddresses }: FakeGame, flow: 'live' | 'azure' = 'azure') {
  const paths = {
    live: [`${loginAddresses.live}/oauth20_connect.srf`, `${loginAddresses.live}/oauth20_token.srf`],
    azure: ['devicecode', 'token'].map((end) => `${loginAddresses.azure}/consumers/oauth2/v2.0/${end}`),
  };
  const [codes, tokens] = paths[flow] as [string, string];
  const form = (fields: Record<string, string>) => new URLSearchParams({ client_id: 'client', ...fields });
  return {
    begin: async () => (await post(codes, form({ scope: 'XboxLive.signin offline_access' }))).body,
    poll: (device_code: string) => post(tokens, form({ grant_type: DEVICE_CODE, device_code })),
    refresh: (refresh_token: string) => post(tokens, form({ grant_type: 'refresh_token', refresh_token })),
    xbox: (ticket: string) =>
      post(`${loginAddresses.xbox}/user/authenticate`, {
        RelyingParty: 'http://auth.xboxlive.com',
        TokenType: 'JWT',
        Properties: { AuthMethod: 'RPS', SiteName: 'user.auth.xboxlive.com', RpsTicket: ticket },
      }),
    xsts: (userToken: string) =>
      post(`${loginAddresses.xsts}/xsts/authorize`, {
        RelyingParty: 'rp://api.minecraftservices.com/',
        TokenType: 'JWT',
        Properties: { SandboxId: 'RETAIL', UserTokens: [userToken] },
      }),
    login: (hash: string, token: string) =>
      post(`${addresses.services}/authentication/login_with_xbox`, {
        identityToken: `XBL3.0 x=${hash};${token}`,
      }),
  };
}

/** From a ticket to the game's token, or the first answer that refuses. */
async function walk(steps: ReturnType<typeof loginOf>, ticket: string): Promise<Heard> {
  const user = await steps.xbox(ticket);
  if (user.status !== 200) return user;
  const identity = await steps.xsts(user.body.Token);
  if (identity.status !== 200) return identity;
  return await steps.login(identity.body.DisplayClaims.xui[0].uhs, identity.body.Token);
}

describe('Logging in', () => {
  test.each([
    ['azure', 'd'],
    ['live', 't'],
  ] as const)('by %s waits for the owner and ends with a token for Minecraft', async (flow, prefix) => {
    const { fake, game } = await callGame({ accounts: 1 });
    const [account] = fake.accounts;
    const steps = loginOf(fake, flow);
    const { device_code, user_code, interval } = await steps.begin();
    expect([(await steps.poll(device_code)).body.error, interval]).toEqual(['authorization_pending', 1]);
    fake.microsoft.approve(user_code, account!.id);
    const { access_token } = (await steps.poll(device_code)).body;
    const { status, body } = await walk(steps, `${prefix}=${access_token}`);
    expect([status, body.expires_in]).toEqual([200, 86_400]);
    expect((await fetchAccount(game.http, body.access_token)).id).toBe(account!.id);
    expect((await steps.poll(device_code)).body.error).toBe('bad_verification_code');
    const otherPrefix = prefix === 'd' ? 't' : 'd';
    expect((await walk(steps, `${otherPrefix}=${access_token}`)).status).toBe(401);
  });

  test('ends when the owner declines, or lets the code expire', async () => {
    let now = Date.now();
    const fake = await runGame({ now: () => now });
    const steps = loginOf(fake);
    const [declined, forgotten] = [await steps.begin(), await steps.begin()];
    fake.microsoft.decline(declined.user_code);
    now += 1_000_000;
    expect((await steps.poll(forgotten.device_code)).body.error).toBe('expired_token');
    now -= 1_000_000;
    expect((await steps.poll(declined.device_code)).body.error).toBe('authorization_declined');
  });

  test('again needs the newest refresh token, which must not have been revoked', async () => {
    const fake = await runGame({ accounts: 1 });
    const { id } = fake.accounts[0]!;
    const steps = loginOf(fake);
    const first = fake.microsoft.refreshToken(id);
    const { access_token, refresh_token } = (await steps.refresh(first)).body;
    expect((await walk(steps, `d=${access_token}`)).status).toBe(200);
    expect((await steps.refresh(first)).body.error).toBe('invalid_grant');
    fake.microsoft.revoke(id);
    expect((await steps.refresh(refresh_token)).body.error).toBe('invalid_grant');
  });

  test('is refused by Xbox with a code, and by Mojang for a program that it did not approve', async () => {
    const fake = await runGame({ accounts: 1, approvedClients: ['another'] });
    const { id } = fake.accounts[0]!;
    const steps = loginOf(fake);
    const { access_token } = (await steps.refresh(fake.microsoft.refreshToken(id))).body;
    fake.microsoft.obstruct(id, 2148916233);
    expect(await walk(steps, `d=${access_token}`)).toMatchObject({ status: 401, body: { XErr: 2148916233 } });
    fake.microsoft.obstruct(id, undefined);
    const { status, body } = await walk(steps, `d=${access_token}`);
    expect([status, body.errorMessage]).toEqual([403, expect.stringContaining('Invalid app registration')]);
  });

  test('may hit a limit whose answer has almost no content', async () => {
    const fake = await runGame();
    fake.order({ fault: { kind: 'limited' }, on: ['login'] });
    expect(await loginOf(fake).login('1', 'x')).toEqual({
      status: 429,
      body: { path: '/minecraft/profile' },
    });
  });
});
