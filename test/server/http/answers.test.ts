import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { responseOf } from '../../../src/server/http/answers.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test.each([
  ['an answer', '/health', 200],
  ['a refusal', '/v2/nothing', 404],
  ['a malformed address', '/%E0%A4%A', 400],
])('%s tells browsers to treat it as data only', async (_, path, status) => {
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

test('A picture has none of the headers for documents and programs', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const { headers, status } = await fetch(`${url}/v2/skins/${body.skin?.uuid}/body.png?size=136`);
  expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
  for (const name of ['origin-agent-cluster', 'x-xss-protection', 'access-control-expose-headers'])
    expect([name, headers.has(name)]).toEqual([name, false]);
});

test('No page allows a base element that redirects its links', async () => {
  const { url } = await runServer({ workers: 0 });
  const { headers } = await fetch(`${url}/ui/sign-in`);
  expect(headers.get('content-security-policy')).toContain("base-uri 'none';");
});

test.each([0, 1, 2, 3])(
  'A reader that leaves %i steps after it wanted more ends the body without an error',
  async (steps) => {
    const body = new Readable({ read() {} });
    for (let piece = 0; piece < 3; piece++) body.push(Buffer.alloc(70_000));
    const reader = readerOf(body);
    await setImmediate();
    void reader.read();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    await reader.cancel();
    // Vitest reports what is thrown outside all promises.
    await setImmediate();
    expect(body.destroyed).toBe(true);
  },
);

test('When the reader leaves, a body without data to send ends at once', async () => {
  const body = new Readable({ read() {} });
  const reader = readerOf(body);
  const waiting = reader.read();
  await reader.cancel();
  expect(body.destroyed).toBe(true);
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('A body that fails breaks off its answer', async () => {
  const body = new Readable({ read() {} });
  const reader = readerOf(body);
  const waiting = reader.read();
  body.destroy(new Error('The disk is gone.'));
  await expect(waiting).rejects.toThrow('The disk is gone.');
});

function readerOf(body: Readable): ReadableStreamDefaultReader<Uint8Array> {
  const { body: stream } = responseOf({ status: 200, headers: {}, payload: body });
  return stream!.getReader();
}
