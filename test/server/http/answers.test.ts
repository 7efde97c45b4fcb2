import { expect, test } from 'vitest';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test.each([
  ['an answer', '/health', 200],
  ['a refusal', '/v2/nothing', 404],
  ['a malformed address', '/%E0%A4%A', 400],
])('%s tells browsers to make nothing of it but data', async (_, path, status) => {
  const { url } = await runServer({ workers: 0 });
  const answer = await fetch(url + path);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'strict-transport-security': expect.stringMatching(/^max-age=\d+/),
  });
  expect(answer.headers.has('x-powered-by')).toBe(false);
});

test('No page has its addresses led elsewhere by a base of somebody else', async () => {
  const { url } = await runServer({ workers: 0 });
  const { headers } = await fetch(`${url}/ui/sign-in`);
  expect(headers.get('content-security-policy')).toContain("base-uri 'none';");
});
