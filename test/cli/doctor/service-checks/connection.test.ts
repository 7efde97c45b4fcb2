import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { errors, makeSetup, NOBODY, NOT_FOUND, READY, servedSetup } from '../../../support/cli/setup.ts';
import { cutBefore, type Exchange, staySilent } from '../../../support/client/scripted-server.ts';
import { webServer } from '../../../support/server/web-server.ts';

async function lookAt(url: string, env: Readonly<Record<string, string>> = {}, limit = 2_000) {
  const { setup } = await makeSetup({ env: { SKINSMITH_BASE_URL: url, ...env }, limit });
  return await CHECKS.connection.look(setup);
}

describe('The check of the connection', () => {
  test('says how long each stage took, and sends no key', async () => {
    const { setup, server } = await servedSetup([NOBODY]);
    const found = await CHECKS.connection.look(setup);
    expect(found.result).toBe('ok');
    expect(found.detail).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ answers in \d+ ms \(connection \d+, answer \d+\)\.$/,
    );
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  const page = '<!doctype html><title>Sign in</title>';
  const answers: [what: string, Omit<Exchange, 'expect'>, result: string, detail: RegExp, hint: RegExp][] = [
    [
      "a proxy's page",
      { text: page },
      'problem',
      /200 with an HTML page, which probably comes from a proxy/,
      /in a browser/,
    ],
    ['its page of an error', { status: 502, text: page }, 'problem', /502 with an HTML page/, /in a browser/],
    ['no JSON', { text: 'hello' }, 'problem', /200, but not with JSON/, /SKINSMITH_BASE_URL/],
    [
      'a redirect to another host',
      { status: 301, headers: { location: 'https://new.example/v2/me' } },
      'problem',
      /redirects to https:\/\/new\.example/,
      /: SKINSMITH_BASE_URL=https:\/\/new\.example$/,
    ],
    [
      'a redirect of its own',
      { status: 302, headers: { location: '/login' } },
      'problem',
      /redirects to http:\/\/127/,
      /Check the address/,
    ],
    ['trouble', { status: 503, json: errors('service_unavailable', '?') }, 'warning', /status 503/, /later/],
    [
      'too many requests',
      { status: 429, json: errors('rate_limit', '?') },
      'warning',
      /is limiting requests/,
      /minute/,
    ],
    ['nothing, and hangs up', { act: cutBefore }, 'problem', /did not answer \(ECONNRESET\)/, /log/],
  ];
  test.each(answers)('reports a service that answers with %s', async (_, answer, result, detail, hint) => {
    const { setup } = await servedSetup([{ expect: 'GET /v2/me', ...answer }]);
    expect(await CHECKS.connection.look(setup)).toEqual({
      result,
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    });
  });

  test('does not wait for a service that says nothing', async () => {
    const { setup } = await servedSetupWithin([{ expect: 'GET /v2/me', act: staySilent }], 200);
    expect((await CHECKS.connection.look(setup)).detail).toMatch(
      /was reached, but did not answer \(not in time\)/,
    );
  });

  test('finds that nothing listens, or that the proxy is missing', async () => {
    const env = { HTTP_PROXY: 'http://anna:hunter2@127.0.0.1:1' };
    const nothing = {
      result: 'problem',
      detail: 'Nothing listens at 127.0.0.1:1.',
      hint: 'Is the service running?',
    };
    expect(await lookAt('http://127.0.0.1:1', env)).toEqual(nothing);
    expect(await lookAt('http://skins.example', env)).toEqual({
      result: 'problem',
      detail:
        'skins.example cannot be reached: connection refused (through the proxy http://127.0.0.1:1 (HTTP_PROXY)).',
      hint: 'Check the proxy, or name the host in NO_PROXY to reach it directly.',
    });
  });

  test('finds that a port does not speak TLS', async () => {
    const { url, port } = await webServer((_, response) => response.end());
    expect(await lookAt(url.replace('http:', 'https:'))).toEqual({
      result: 'problem',
      detail: expect.stringMatching(/does not speak TLS \(E/),
      hint: `Is it http://127.0.0.1:${port}?`,
    });
  });

  test('finds that there is no such host', async () => {
    // No part of a name has 64 characters, so that nobody is asked for it.
    const found = await lookAt(`http://${'a'.repeat(64)}.invalid`);
    expect(found).toMatchObject({
      result: 'problem',
      detail: expect.stringMatching(/(No host|the name) a+\.i/),
    });
  });
});

async function servedSetupWithin(script: readonly Exchange[], limit: number) {
  const { server } = await servedSetup(script);
  return await makeSetup({ env: { SKINSMITH_BASE_URL: server.url }, limit });
}

describe('The check of who answers', () => {
  const rows: [what: string, ready: Omit<Exchange, 'expect'>, first: Exchange, found: object][] = [
    [
      'skinsmith',
      READY,
      NOBODY,
      { result: 'ok', detail: expect.stringContaining('skinsmith 9.9.9 (here: ') },
    ],
    [
      'a skinsmith that takes no work',
      { status: 503, json: { status: 'not_ready', reasons: ['generator_not_ready'], version: '9.9.9' } },
      NOBODY,
      { result: 'problem', detail: expect.stringContaining('accepts no work now: generator_not_ready.') },
    ],
    [
      'a skinsmith whose database is silent',
      { status: 503, json: { status: 'not_ready', reasons: ['store_unreachable'], version: '9.9.9' } },
      NOBODY,
      { result: 'problem', hint: expect.stringContaining('PostgreSQL is running') },
    ],
    [
      'another service of the same interface',
      { status: 404, text: '<h1>Cannot GET /ready</h1>' },
      NOBODY,
      { result: 'ok', detail: expect.stringContaining('it is not skinsmith') },
    ],
    [
      'a skinsmith by a path at which it does not answer',
      NOT_FOUND,
      { expect: 'GET /v2/me', status: 404, json: errors('not_found', 'There is nothing at this address.') },
      { result: 'problem', detail: expect.stringMatching(/^Nothing at .*\/v2\/me\.$/) },
    ],
    [
      'another program',
      NOT_FOUND,
      { expect: 'GET /v2/me', json: { hello: 'world' } },
      { result: 'problem', detail: expect.stringContaining('it is another program') },
    ],
  ];
  test.each(rows)('recognizes %s', async (_, ready, first, found) => {
    const { setup } = await servedSetup([first, { ...ready, expect: 'GET /ready' }]);
    expect(await CHECKS.answer.look(setup)).toMatchObject(found);
  });
});
