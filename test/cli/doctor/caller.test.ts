import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../src/cli/doctor/checks.ts';
import { errors, KEY, me, NOBODY, NOT_FOUND, rateLimit, servedPatient } from '../../support/cli/setup.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';

const ME = 'GET /v2/me';

describe('The check of the key', () => {
  test('says whose it is and where it is from, and shows its end alone', async () => {
    const { setup } = await servedPatient([{ expect: ME, json: me() }]);
    expect(await CHECKS.key.look(setup)).toEqual({
      result: 'ok',
      detail: "The key (…wxyz, from SKINSMITH_API_KEY) is valid; it is zoe's.",
    });
  });

  test('knows one that belongs to nobody', async () => {
    const { setup } = await servedPatient([NOBODY]);
    expect((await CHECKS.key.look(setup)).detail).toMatch(/is valid; it belongs to no account/);
  });

  const refusals: [said: string, status: number, detail: RegExp, hint: RegExp][] = [
    ['The API key is not valid.', 403, /does not accept the key .*The API key is not valid/, /login/],
    ['Missing token', 401, /does not accept the key/, /login/],
    ['Client not allowed', 403, /not from the address of this machine: Client not allowed/, /--allow-ip/],
    ['Origin not allowed', 403, /web pages of certain origins/, /--any-origin/],
    ['Agent not allowed', 403, /not for this program/, /user-agent/],
    [`Who is ${KEY}?`, 403, /Who is \[API key\]\?/, /login/],
  ];
  test.each(refusals)('tells apart what it is refused for: %s', async (said, status, detail, hint) => {
    const { setup } = await servedPatient([{ expect: ME, status, json: errors('invalid_api_key', said) }]);
    expect(await CHECKS.key.look(setup)).toEqual({
      result: 'problem',
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    });
  });

  test('warns that there is none, and asks nobody', async () => {
    const { setup } = await servedPatient([], '');
    expect(await CHECKS.key.look(setup)).toMatchObject({
      result: 'warning',
      hint: 'Store one: skinsmith login',
    });
  });

  test('sees one that is kept for another address of the same host', async () => {
    const { setup, context } = await servedPatient([], '');
    await context.configFile.keepKey('https://127.0.0.1:1', KEY);
    expect(await CHECKS.key.look(setup)).toEqual({
      result: 'warning',
      detail: expect.stringContaining('One is kept for https://127.0.0.1:1, another address.'),
      hint: 'skinsmith config set base-url https://127.0.0.1:1',
    });
  });
});

describe('The check of the clock', () => {
  const at = (offset: number) => ({ date: new Date(Date.now() + offset).toUTCString() });
  test.each([
    ['right', 0, 'ok', /agrees/],
    ['slow', 90_000, 'warning', /(89|90|91) s behind/],
    ['fast', -3_600_000, 'warning', /(3599|3600|3601) s ahead of/],
  ])('finds one %s', async (_, offset, result, detail) => {
    const { setup } = await servedPatient([{ ...NOBODY, headers: at(offset) }]);
    expect(await CHECKS.clock.look(setup)).toMatchObject({ result, detail: expect.stringMatching(detail) });
  });

  const dateless: Exchange = {
    expect: ME,
    act: (response) => {
      response.sendDate = false;
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(NOBODY.json));
    },
  };
  test('goes by the limits where answers have no date', async () => {
    const next = { absolute: Date.now() + 61_000, relative: 1_000 };
    const { setup } = await servedPatient([
      dateless,
      { expect: ME, json: me({ rateLimit: rateLimit({ next }) }) },
    ]);
    expect((await CHECKS.clock.look(setup)).detail).toMatch(/is (59|60|61) s behind/);
  });

  test('says when the service does not tell', async () => {
    const { setup } = await servedPatient([dateless, { expect: ME, json: me() }]);
    expect((await CHECKS.clock.look(setup)).result).toBe('skipped');
  });
});

describe('The check of the limits', () => {
  test('says the plan and what is left', async () => {
    const { setup } = await servedPatient([{ expect: ME, json: me() }]);
    expect(await CHECKS.limits.look(setup)).toEqual({
      result: 'ok',
      detail: 'Plan pro: 40 of 60 skins left this minute, 90 of 100 skins left this hour.',
    });
  });

  test('asks for the limits apart where the caller has no account', async () => {
    const minute = { limit: 10, remaining: 0 };
    const spent = rateLimit({ limit: { ...minute, minute } });
    const { setup } = await servedPatient([
      NOBODY,
      { expect: 'GET /v2/delay', json: { success: true, ...spent } },
    ]);
    expect(await CHECKS.limits.look(setup)).toEqual({
      result: 'warning',
      detail: 'Plan anonymous: 0 of 10 skins left this minute.',
      hint: expect.stringContaining('wait'),
    });
  });
});

describe('The check of the spots', () => {
  const job = (status: string) => ({ id: status, status, timestamp: 1 });
  test.each([
    ['free ones', ['waiting', 'completed', 'failed'], 'ok', '1 of 2'],
    ['none', ['waiting', 'processing'], 'warning', '2 of 2'],
  ])('finds %s', async (_, statuses, result, taken) => {
    const list = { expect: 'GET /v2/queue', json: { success: true, jobs: statuses.map(job) } };
    const { setup } = await servedPatient([{ expect: ME, json: me() }, list]);
    const detail = `${taken} spots in the queue are taken.`;
    expect(await CHECKS.spots.look(setup)).toMatchObject({ result, detail });
  });

  test('is left out where jobs are listed for users alone', async () => {
    const list = { expect: 'GET /v2/queue', status: 401, json: errors('unauthorized', 'No.') };
    const { setup } = await servedPatient([NOBODY, list], '');
    expect((await CHECKS.spots.look(setup)).result).toBe('skipped');
  });

  test('throws what it is refused for otherwise', async () => {
    const { setup } = await servedPatient([NOBODY, { expect: 'GET /v2/queue', ...NOT_FOUND }]);
    await expect(CHECKS.spots.look(setup)).rejects.toMatchObject({ code: 'not_found' });
  });
});
