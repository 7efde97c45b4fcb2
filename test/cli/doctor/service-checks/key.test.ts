import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { errors, KEY, makeSetup, me, NOBODY, servedSetup } from '../../../support/cli/setup.ts';
import { scriptedServer } from '../../../support/client/scripted-server.ts';

const ME = 'GET /v2/me';

describe('The check of the key', () => {
  test('says whose key it is and where it is from, and shows only its end', async () => {
    const { setup } = await servedSetup([{ expect: ME, json: me() }]);
    expect(await CHECKS.key.look(setup)).toEqual({
      result: 'ok',
      detail: 'The key (…wxyz, from SKINSMITH_API_KEY) is valid and belongs to zoe.',
    });
  });

  test('recognizes a key without a user', async () => {
    const { setup } = await servedSetup([NOBODY]);
    expect((await CHECKS.key.look(setup)).detail).toMatch(/is valid but belongs to no account/);
  });

  test('does not mistake a wrong address for an unknown key', async () => {
    const json = errors('not_found', 'There is nothing at this address.');
    const { setup } = await servedSetup([{ expect: ME, status: 404, json }]);
    await expect(CHECKS.key.look(setup)).rejects.toMatchObject({ code: 'not_found' });
  });

  const refusals: [said: string, status: number, detail: RegExp, hint: RegExp][] = [
    ['The API key is not valid.', 403, /does not accept the key .*The API key is not valid/, /login/],
    ['Missing token', 401, /does not accept the key/, /login/],
    ['Client not allowed', 403, /not from the address of this machine: Client not allowed/, /--allow-ip/],
    ['Origin not allowed', 403, /web pages of certain origins/, /--any-origin/],
    ['Agent not allowed', 403, /not for this program's User-Agent/, /user-agent/],
    [`Who is ${KEY}?`, 403, /Who is \[API key\]\?/, /login/],
  ];
  test.each(refusals)('distinguishes the reasons of refusals: %s', async (said, status, detail, hint) => {
    const { setup } = await servedSetup([{ expect: ME, status, json: errors('invalid_api_key', said) }]);
    expect(await CHECKS.key.look(setup)).toEqual({
      result: 'problem',
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    });
  });

  test('warns that there is no key, without a request', async () => {
    const { setup } = await servedSetup([], '');
    expect(await CHECKS.key.look(setup)).toMatchObject({
      result: 'warning',
      hint: 'Store one: skinsmith login',
    });
  });

  test('gives a command for the typed service, and names the variable that has the key', async () => {
    const server = await scriptedServer([
      { expect: ME, status: 403, json: errors('invalid_api_key', 'The API key is not valid.') },
    ]);
    const flags = { baseUrl: server.url };
    const { setup: anonymous } = await makeSetup({ flags });
    const login = `skinsmith login --base-url ${server.url}`;
    expect((await CHECKS.key.look(anonymous)).hint).toBe(`Store one: ${login}`);
    const { setup } = await makeSetup({ flags, env: { SKINSMITH_API_KEY: KEY } });
    expect((await CHECKS.key.look(setup)).hint).toMatch(
      new RegExp(`SKINSMITH_API_KEY holds the key that was sent\\..*: ${login}$`),
    );
  });

  test('finds a key stored for another address of the same host', async () => {
    const { setup, context } = await servedSetup([], '');
    await (await context.configFile()).keepKey('https://127.0.0.1:1', KEY);
    expect(await CHECKS.key.look(setup)).toEqual({
      result: 'warning',
      detail: expect.stringContaining('One is stored for another address, https://127.0.0.1:1.'),
      hint: 'To use that address: SKINSMITH_BASE_URL=https://127.0.0.1:1',
    });
  });
});
