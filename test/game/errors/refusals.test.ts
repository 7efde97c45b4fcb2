import { describe, expect, test } from 'vitest';
import { fetchSignedProfile } from '../../../src/game/profiles.ts';
import { fetchAccount, uploadSkin } from '../../../src/game/skins.ts';
import { scriptedServer } from '../../support/client/scripted-server.ts';
import type { FaultPlan } from '../../support/fake-game/faults.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { SteppedClock } from '../../support/game/stepped-clock.ts';
import { gameErrorOf } from '../../support/game/told.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

const upload = { png: skinPng(1), variant: 'classic' } as const;
const HOUR = 3_600_000;

/** What a change of skin ends with when this happens to it. */
async function refused(fault: FaultPlan, options: Parameters<typeof callGame>[1] = {}) {
  const { fake, game } = await callGame({ accounts: 1 }, options);
  const { token } = fake.accounts[0]!;
  fake.order({ fault });
  const error = await gameErrorOf(uploadSkin(game.http, token, upload));
  expect(JSON.stringify([error.message, error.cause ?? null])).not.toContain(token);
  return error;
}

const shapes = ['empty', 'html', 'json'] as const;

describe('A refused request tells what is wrong, whatever the body is like', () => {
  test.each(shapes)('too many requests, %s', async (body) => {
    const { kind, status, retryAfter } = await refused({ kind: 'limited', body });
    expect([kind, status, retryAfter]).toEqual(['rate_limited', 429, undefined]);
  });

  test.each(shapes)('too many requests with a time to wait, %s', async (body) => {
    expect((await refused({ kind: 'limited', body, retryAfter: 7 })).retryAfter).toBe(7_000);
  });

  test.each([
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['99999999999', HOUR],
    ['soon', undefined],
    ['', undefined],
  ])('too many requests until %s', async (header, wait) => {
    const clock = new SteppedClock(); // at the beginning of 2026
    expect((await refused({ kind: 'limited', retryAfter: header }, { clock })).retryAfter).toBe(wait);
  });

  test.each(shapes)('a token that is not accepted, %s', async (body) => {
    const { kind, status, isSuspended } = await refused({ kind: 'unauthorized', body });
    expect([kind, status, isSuspended]).toEqual(['unauthorized', 401, false]);
  });

  test.each(shapes)('something forbidden, %s', async (body) => {
    const { kind, status, isSuspended } = await refused({ kind: 'forbidden', body });
    expect([kind, status, isSuspended]).toEqual(['forbidden', 403, false]);
  });

  test('a suspended account', async () => {
    const { kind, isSuspended, message } = await refused({ kind: 'suspended' });
    expect([kind, isSuspended]).toEqual(['forbidden', true]);
    expect(message).toMatch(/answered 403: The account has been suspended\.$/);
  });

  test('a picture that Mojang refuses', async () => {
    const { kind, message } = await refused({ kind: 'bad_image' });
    expect(kind).toBe('bad_image');
    expect(message).toContain('Could not validate image data');
  });

  test.each(shapes)('services out of order, %s', async (body) => {
    const { kind, status } = await refused({ kind: 'broken', status: 502, body });
    expect([kind, status]).toEqual(['unreachable', 502]);
  });

  test('no answer in time', async () => {
    const { kind, message } = await refused({ kind: 'hangs' }, { timeout: 300 });
    expect([kind, message]).toEqual(['unreachable', expect.stringMatching(/did not answer in 300 ms/)]);
  });

  test('an answer that is too late', async () => {
    expect((await refused({ kind: 'slow', ms: 2_000 }, { timeout: 300 })).kind).toBe('unreachable');
  });

  test('a connection that is cut', async () => {
    const { kind, message } = await refused({ kind: 'cut' });
    expect([kind, message]).toEqual([
      'unreachable',
      expect.stringMatching(/cannot be reached: the connection was (closed|reset)\.$/),
    ]);
  });

  test('a page instead of an answer', async () => {
    expect((await refused({ kind: 'garbled' })).kind).toBe('unexpected');
  });

  test('nobody at the address', async () => {
    const { fake, game } = await callGame({ accounts: 1 });
    await fake.close();
    expect((await gameErrorOf(fetchAccount(game.http, 'token'))).kind).toBe('unreachable');
  });
});

const PLAYER = '00000000000040008000000000000001';
const PATH = `/session/minecraft/profile/${PLAYER}?unsigned=false`;

/** What asking for a profile ends with when the session server answers so. */
async function answered(answer: Parameters<typeof scriptedServer>[0][number]) {
  const { url } = await scriptedServer([answer]);
  const { game } = await callGame({}, { addresses: { sessionServer: url } });
  return await gameErrorOf(fetchSignedProfile(game.http, PLAYER));
}

describe('An answer of another kind', () => {
  test('is a redirect, which is not followed', async () => {
    const headers = { location: 'http://127.0.0.1:1/' };
    const { kind, status } = await answered({ expect: `GET ${PATH}`, status: 302, headers });
    expect([kind, status]).toEqual(['unexpected', 302]);
  });

  test('is too long', async () => {
    const error = await answered({ expect: `GET ${PATH}`, text: ' '.repeat(200_000) });
    expect([error.kind, error.message]).toEqual(['unexpected', expect.stringContaining('more than')]);
  });

  test('counts as a refusal even if it is too long', async () => {
    const error = await answered({ expect: `GET ${PATH}`, status: 429, text: ' '.repeat(200_000) });
    expect(error.kind).toBe('rate_limited');
  });

  test('contains characters that control a terminal', async () => {
    const json = { errorMessage: `\u001b[31mred\u0007\n${'x'.repeat(1000)}` };
    const { message } = await answered({ expect: `GET ${PATH}`, status: 418, json });
    expect(message).toMatch(/answered 418: \[31mred x+\.$/);
    expect(message.length).toBeLessThan(350);
  });
});

describe('A token', () => {
  test('that the services echo is in no error', async () => {
    const token = 'eyJ.very-secret.1';
    const { url } = await scriptedServer([
      { expect: 'GET /minecraft/profile', status: 403, json: { errorMessage: `Bearer ${token} is bad` } },
    ]);
    const { game } = await callGame({}, { addresses: { services: url } });
    expect((await gameErrorOf(fetchAccount(game.http, token))).message).toContain('Bearer [token] is bad');
  });

  test('that is invalid in a header is in no error', async () => {
    const { game } = await callGame();
    const error = await gameErrorOf(fetchAccount(game.http, 'secret\r\nx: y'));
    expect(`${error.message} ${(error.cause as Error)?.stack}`).not.toContain('secret');
  });
});

describe('The callers who must wait', () => {
  test('are all of them when the limit was met without a token', async () => {
    const { fake, game } = await callGame({}, { maxWait: 100 });
    const { id } = fake.addPlayer();
    fake.order({ fault: { kind: 'limited', body: 'html', retryAfter: 60 }, on: ['profile'] });
    expect((await gameErrorOf(fetchSignedProfile(game.http, id))).status).toBe(429);
    const { kind, status, retryAfter } = await gameErrorOf(fetchSignedProfile(game.http, id));
    expect([kind, status]).toEqual(['rate_limited', undefined]);
    expect(retryAfter).toBeGreaterThan(50_000);
    expect(fake.calls).toHaveLength(1);
  });

  test('are only the users of the account whose token met the limit', async () => {
    const { fake, game } = await callGame({ accounts: 2 }, { maxWait: 100 });
    const [first, second] = fake.accounts;
    fake.order({ fault: { kind: 'limited', retryAfter: 60 } });
    expect((await gameErrorOf(uploadSkin(game.http, first!.token, upload))).retryAfter).toBe(60_000);
    expect((await uploadSkin(game.http, second!.token, upload)).variant).toBe('classic');
  });
});
