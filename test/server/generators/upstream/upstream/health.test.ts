import { expect, onTestFinished, test } from 'vitest';
import { SkinClient } from '../../../../../src/client/skin-client.ts';
import { upstreamHealth } from '../../../../../src/server/generators/upstream/upstream.ts';
import { type Exchange, scriptedServer } from '../../../../support/client/scripted-server.ts';

const apiKey = 'k'.repeat(64);
const me: Exchange = { expect: 'GET /v2/me', json: { success: true, user: 'ab', grants: { queue: 4 } } };
const noKey: Exchange = { expect: 'GET /', status: 404, text: 'Nothing.' };
const refusal = (status: number, code: string): Exchange => ({
  expect: 'GET /v2/me',
  status,
  json: { success: false, errors: [{ code, message: `No, ${apiKey}.` }] },
});

async function health(script: readonly Exchange[], { wait = 0, others = 0 } = {}) {
  const { url } = await scriptedServer(script);
  return { url, findings: await healthAt(url, { wait, others }) };
}

async function healthAt(url: string, { wait = 0, others = 0 } = {}) {
  const client = new SkinClient({ baseUrl: url, apiKey });
  onTestFinished(async () => await client.close());
  const parts = {
    client,
    settings: { url, apiKey },
    availability: { wait: () => wait },
    others: { foreignJobs: others },
  };
  return await upstreamHealth(parts, AbortSignal.timeout(60_000));
}

test('An upstream service that accepts the key is healthy; its slots and their use by other programs are reported', async () => {
  const { url, findings } = await health([me, noKey], { others: 1 });
  expect(findings).toEqual([
    {
      code: 'upstream',
      result: 'ok',
      message: `${url} makes the skins and accepts the key; slots there: 4, 1 taken by other programs with the same key.`,
    },
  ]);
});

test('The check of the upstream service also reports how long jobs wait', async () => {
  const { findings } = await health([me, noKey], { wait: 4_200 });
  expect(findings[1]).toMatchObject({
    code: 'upstream_wait',
    result: 'warning',
    message: expect.stringMatching(/ 5 s /),
  });
});

test.each([
  ['a refused key', refusal(403, 'invalid_api_key'), 'upstream_key_refused', 'problem'],
  ['a limit', refusal(429, 'rate_limit'), 'upstream_limits', 'warning'],
  ['a full queue', refusal(429, 'job_limit'), 'upstream_limits', 'warning'],
  ['trouble', refusal(500, 'internal_error'), 'upstream_unreachable', 'problem'],
  ['a page', { expect: 'GET /v2/me', status: 200, text: '<html>' }, 'upstream_unreachable', 'problem'],
] as const)(
  'The check of the upstream service reports %s, and never the key',
  async (_, answer, code, result) => {
    const { findings } = await health([answer]);
    expect(findings).toEqual([{ code, result, message: expect.not.stringContaining('kkkk') }]);
  },
);

test('The check of the upstream service reports that nothing answers', async () => {
  const [finding] = await healthAt('http://127.0.0.1:1');
  expect(finding).toMatchObject({ code: 'upstream_unreachable', result: 'problem' });
});
