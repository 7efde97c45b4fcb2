import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { makeJob, refusal } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const me: Exchange = { expect: 'GET /v2/me', json: { success: true, user: 'aa', grants: {} } };
const closed = {
  name: 'NetworkError',
  mayHaveArrived: false,
  message: expect.stringMatching(/the client is closed\.$/),
};

test('A closed client sends nothing, and does not try again', async () => {
  const { client, clock } = await testClient([]);
  await client.close();
  expect(await failureOf(client.me())).toMatchObject(closed);
  expect(clock.sleeps).toEqual([]);
});

test('Closing ends a pause before another attempt', async () => {
  const busy = { ...me, status: 429, json: refusal('rate_limit'), headers: { 'retry-after': '100' } };
  const onRetry = () => void client.close();
  const { client } = await testClient([busy], { clock: systemClock, onRetry });
  expect(await failureOf(client.me())).toMatchObject(closed);
});

test('Closing ends a pause between two looks at a job', async () => {
  const { client } = await testClient([], { clock: systemClock });
  const failure = failureOf(client.waitForJob(makeJob({ eta: Number.MAX_SAFE_INTEGER })));
  await client.close();
  expect(await failure).toMatchObject(closed);
});

test('A call whose client is closed meanwhile is not repeated', async () => {
  const down = { ...me, status: 503, json: refusal('service_unavailable') };
  const { client, clock } = await testClient([down], { onRequest: () => void client.close() });
  expect(await failureOf(client.me())).toMatchObject({ code: 'service_unavailable' });
  expect(clock.sleeps).toEqual([]);
});
