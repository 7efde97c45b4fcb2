import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { RequestReport } from '../../../src/client/types.ts';
import { refusal } from '../../support/client/answers.ts';
import { cutBefore, cutWithin, type Exchange, staySilent } from '../../support/client/scripted-server.ts';
import { API_KEY, failureOf, testClient } from '../../support/client/test-client.ts';

const troubles: [what: string, answer: Partial<Exchange>][] = [
  ['a refused key', { status: 403, json: refusal('invalid_api_key', 'The key is not valid.') }],
  ['a server error', { status: 500, json: refusal('internal_error') }],
  ['too many requests', { status: 429, json: refusal('rate_limit'), headers: { 'retry-after': '9999' } }],
  ['an HTML page', { status: 502, text: '<html>' }],
  ['JSON that was cut', { text: '{"succ' }],
  ['an echo of the key', { status: 403, json: refusal('invalid_api_key', `Unknown key ${API_KEY}.`) }],
  ['another shape', { json: { success: true } }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' }, text: '' }],
  ['a cut connection', { act: cutBefore }],
  ['a cut answer', { act: cutWithin }],
  ['silence', { act: staySilent }],
];

describe('the API key', () => {
  test.each(troubles)('is in nothing that is thrown or reported after %s', async (_, answer) => {
    const reports: RequestReport[] = [];
    const { client } = await testClient([{ expect: 'POST /v2/queue', ...answer }], {
      timeout: answer.act === staySilent ? 150 : 20_000,
      retry: { budget: 0 },
      onRequest: (report) => void reports.push(report),
    });
    const failure = (await failureOf(client.queue({ url: 'https://a.example/' }))) as Error;
    const shown = [
      failure.message,
      String(failure),
      failure.stack,
      JSON.stringify(failure),
      inspect(failure, { depth: 9 }),
    ];
    expect(reports).toHaveLength(1);
    expect([...shown, JSON.stringify(reports)].join('\n')).not.toContain(API_KEY);
  });

  test('is not in the message of a failed job in a successful answer', async () => {
    const json = {
      success: true,
      errors: [{ code: 'job_failed', message: `Unknown key ${API_KEY}.` }],
      job: { id: 'j1', status: 'failed' },
    };
    const { client } = await testClient([{ expect: 'GET /v2/queue/j1', json }]);
    expect((await client.job('j1')).errors).toEqual([
      { code: 'job_failed', message: 'Unknown key [API key].' },
    ]);
  });

  test('is not shown by the client itself', async () => {
    const { client } = await testClient([]);
    expect(`${JSON.stringify(client)} ${inspect(client, { depth: 9, showHidden: true })}`).not.toContain(
      API_KEY,
    );
  });
});
