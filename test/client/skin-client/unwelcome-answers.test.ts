import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const me: Exchange = { expect: 'GET /v2/me', json: { success: true, user: 'aa', grants: {} } };
const html = '<!doctype html>\n<title>502 Bad Gateway</title>';

describe('an answer that cannot be read', () => {
  const big = `{"success":true,"user":"${'x'.repeat(33 * 1024 * 1024)}","grants":{}}`;
  const answers: [what: string, answer: Partial<Exchange>, status: number, message: RegExp][] = [
    ['HTML', { text: html }, 200, /^GET \/v2\/me answered 200 with an HTML page\.$/],
    [
      'JSON of many values in few bytes',
      { text: `${'['.repeat(600_000)}${']'.repeat(600_000)}` },
      200,
      /^GET \/v2\/me answered 200 with more than 500000 values\.$/,
    ],
    [
      'JSON of many levels',
      { text: `{"success":true,"user":${'['.repeat(50_000)}${']'.repeat(50_000)}}` },
      200,
      /^GET \/v2\/me answered 200 with lists and objects nested more than 128 levels deep\.$/,
    ],
    [
      'JSON that was cut',
      { text: '{"success": true, "us' },
      200,
      /answered 200 with something that is not JSON/,
    ],
    ['nothing', { text: '' }, 200, /not JSON/],
    ['another program', { json: { hello: 1 } }, 200, /unexpected body \(success: /],
    ['a list', { json: [] }, 200, /unexpected body \(the body: /],
    ['an endless body', { text: big }, 200, /answered with more than 32768 KiB/],
    [
      'a page that something is not there',
      { status: 404, text: html },
      404,
      /answered 404 with an HTML page/,
    ],
  ];
  test.each(answers)('is reported as such: %s', async (_, answer, status, message) => {
    const { client } = await testClient([{ ...me, json: undefined, ...answer }]);
    const failure = await failureOf(client.me());
    expect(failure).toMatchObject({ name: 'UnreadableAnswerError', code: 'unreadable_answer', status });
    expect((failure as Error).message).toMatch(message);
  });

  test.each([301, 302, 307, 308])(
    'may be a redirect %i, which is not followed, so the key stays',
    async (status) => {
      const elsewhere = await testClient([]); // fails the test when anything arrives
      const headers = { location: `${elsewhere.server.url}/v2/me` };
      const { client } = await testClient([{ ...me, status, headers, json: undefined, text: '' }]);
      const message = expect.stringContaining(`redirects to ${elsewhere.server.url}; if that is the service`);
      expect(await failureOf(client.me())).toMatchObject({ code: 'unreadable_answer', status, message });
    },
  );

  test("may be a redirect to the service's own page, which suggests no other base URL", async () => {
    const headers = { location: `/maintenance/${'x'.repeat(200)}` };
    const { client } = await testClient([{ ...me, status: 302, headers, json: undefined, text: '' }]);
    const message = expect.stringMatching(/: the service redirects to \/maintenance\/x{87}\.$/);
    expect(await failureOf(client.me())).toMatchObject({ code: 'unreadable_answer', message });
  });
});

describe('a refusal', () => {
  const bodies: [what: string, json: unknown, read: { code: string; message: string }][] = [
    ['the usual', refusal('unauthorized', 'Who are you?'), { code: 'unauthorized', message: 'Who are you?' }],
    [
      'several reasons',
      {
        success: false,
        errors: [
          { code: 'validation_error', message: 'Bad.' },
          { code: 'x', message: 'name: too long', path: ['name'] },
        ],
      },
      { code: 'validation_error', message: 'Bad. (name: too long)' },
    ],
    ['no envelope', { errors: [{ code: 'c', message: 'm' }] }, { code: 'c', message: 'm' }],
    [
      'parts that cannot be read',
      { errors: [{ code: 'c', message: 'm' }], links: { job: null }, warnings: 'none', rateLimit: 7 },
      { code: 'c', message: 'm' },
    ],
    [
      'version 1',
      { success: false, error: 'Invalid key', errorCode: 'invalid_api_key' },
      { code: 'invalid_api_key', message: 'Invalid key' },
    ],
    ['{error}', { error: 'Nope' }, { code: 'http_401', message: 'Nope' }],
    ['{message}', { message: 'Nope' }, { code: 'http_401', message: 'Nope' }],
    [
      'an empty list',
      { success: false, errors: [] },
      { code: 'http_401', message: 'The service answered 401.' },
    ],
    ['nothing known', {}, { code: 'http_401', message: 'The service answered 401.' }],
    ['null', null, { code: 'http_401', message: 'The service answered 401.' }],
    ['a word', 'no', { code: 'http_401', message: 'The service answered 401.' }],
  ];
  test.each(bodies)('is read from a body with %s', async (_, json, read) => {
    const { client } = await testClient([{ ...me, status: 401, json }]);
    expect(await failureOf(client.me())).toMatchObject({ name: 'ServiceError', status: 401, ...read });
  });
});
