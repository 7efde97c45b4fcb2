import { expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

test('A healthy service is ready for every caller', async () => {
  const { anonymous } = await runServer();
  const { status, body } = await anonymous().get('/ready', { authorization: 'Bearer nonsense' });
  expect([status, body]).toEqual([200, { status: 'ready', reasons: [], warnings: [], version: VERSION }]);
});

test('A stopping service first reports that it is not ready, accepts nothing new, and finishes its answers', async () => {
  const work = new HeldWork();
  const server = await runServer({ ...work.options, workers: 1 });
  const { owner } = server;
  const answer = owner.upload('/v2/generate', skinPng(1));
  await poll(
    () => owner.get('/v2/queue'),
    ({ body }) => body.jobs?.[0]?.status === 'processing',
  );
  const closed = server.close();
  const { status, body } = await owner.get('/ready');
  expect([status, body]).toMatchObject([503, { status: 'not_ready', reasons: ['stopping'] }]);
  expect((await owner.get('/health')).status).toBe(200);
  expectRefusal(await owner.upload('/v2/queue', skinPng(2)), 'service_unavailable');
  work.release();
  expect((await answer).status).toBe(200);
  await closed;
  await expect(owner.get('/ready')).rejects.toThrow('ECONNREFUSED');
});
