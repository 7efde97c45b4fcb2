import { describe, expect, test } from 'vitest';
import { makeJob, makeSkin, refusal } from '../../support/client/answers.ts';
import { START } from '../../support/client/fake-clock.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const skin = makeSkin();
const ID = makeJob().id;

function look(status: string, rest: object = {}): Exchange {
  return {
    expect: `GET /v2/queue/${ID}`,
    json: { success: true, job: { ...makeJob(), status }, ...rest },
  };
}

describe('SkinClient.waitForJob', () => {
  test('looks after growing pauses until the job is completed', async () => {
    const { client, clock } = await testClient([
      look('waiting'),
      look('waiting'),
      look('processing'),
      look('completed', { skin, messages: [{ code: 'job_completed', message: 'Done.' }] }),
    ]);
    const made = await client.waitForJob({ id: ID });
    expect(made).toMatchObject({ skin, job: ID, messages: [{ code: 'job_completed' }] });
    expect(clock.sleeps).toEqual([1_000, 1_000, 1_500, 2_250]);
  });

  test('looks for the first time at the eta', async () => {
    const { client, clock } = await testClient([look('completed', { skin })]);
    await client.waitForJob({ id: ID, eta: START + 2_500 });
    expect(clock.sleeps).toEqual([2_500]);
  });

  test('treats unknown statuses as pending', async () => {
    const statuses = ['unknown', 'active', 'delayed', 'paused'];
    const { client } = await testClient([
      ...statuses.map((status) => look(status)),
      look('completed', { skin }),
    ]);
    expect((await client.waitForJob({ id: ID })).skin).toEqual(skin);
  });

  test('keeps to the poll interval that it was given', async () => {
    const script = [look('waiting'), look('waiting'), look('completed', { skin })];
    const { client, clock } = await testClient(script, { pollInterval: 1_200 });
    await client.waitForJob({ id: ID });
    expect(clock.sleeps).toEqual([1_000, 1_000, 1_200]);
  });

  test('throws the reason of a failed job, which comes in a successful answer', async () => {
    const errors = [{ code: 'skin_change_failed', message: 'The account was busy.' }];
    const { client } = await testClient([look('waiting'), look('failed', { errors })]);
    expect(await failureOf(client.waitForJob({ id: ID }))).toMatchObject({
      name: 'JobFailedError',
      code: 'skin_change_failed',
      message: 'The account was busy.',
      jobId: ID,
    });
  });

  test('fetches the skin by its UUID when a completed job comes without it', async () => {
    const { client } = await testClient([
      {
        expect: `GET /v2/queue/${ID}`,
        json: { job: { ...makeJob(), status: 'completed', result: skin.uuid } },
      },
      { expect: `GET /v2/skins/${skin.uuid}`, json: { success: true, skin } },
    ]);
    expect((await client.waitForJob({ id: ID })).skin).toEqual(skin);
  });

  test('says at least that the job failed when no reason is given', async () => {
    const { client } = await testClient([look('failed')]);
    expect(await failureOf(client.waitForJob({ id: ID }))).toMatchObject({
      code: 'job_failed',
      message: 'The job failed.',
    });
  });

  test('reports that the job is not known any more', async () => {
    const { client } = await testClient([
      { expect: `GET /v2/queue/${ID}`, status: 404, json: refusal('job_not_found') },
    ]);
    expect(await failureOf(client.waitForJob({ id: ID }))).toMatchObject({ code: 'job_not_found' });
  });

  test('survives trouble that passes while it waits', async () => {
    const { client, clock } = await testClient([
      { ...look('waiting'), status: 502, json: undefined, text: '<html>Bad gateway</html>' },
      look('completed', { skin }),
    ]);
    await client.waitForJob({ id: ID });
    expect(clock.sleeps).toEqual([1_000, 250]);
  });

  test("waits out a long outage if the call's patience allows it", async () => {
    const outage = Array.from({ length: 12 }, () => ({
      ...look('waiting'),
      status: 502,
      json: undefined,
      text: '<html>Bad gateway</html>',
    }));
    const script = [...outage, look('completed', { skin })];
    const { client, clock } = await testClient(script, { retry: { budget: 1_000 } });
    await client.waitForJob({ id: ID }, { retry: { budget: 15 * 60_000 } });
    expect(clock.sleeps.reduce((sum, ms) => sum + ms)).toBeGreaterThan(30_000);
  });

  test('stops as soon as it is aborted', async () => {
    const stop = new AbortController();
    const { client } = await testClient([], {
      clock: {
        now: () => START,
        monotonic: () => 0,
        sleep: async (_, signal) => {
          stop.abort();
          signal?.throwIfAborted();
        },
      },
    });
    const failure = await failureOf(client.waitForJob({ id: ID }, { signal: stop.signal }));
    expect(failure).toMatchObject({ name: 'AbortError' });
  });
});

describe('SkinClient.generate, when the service stops waiting', () => {
  const GENERATE = 'POST /v2/generate?timeout=30';
  const timeout = (rest: object = {}): Exchange => ({
    expect: GENERATE,
    status: 500,
    json: refusal('generator_timeout', 'Not ready.', rest),
  });

  test.each([`/v2/queue/${ID}`, `/queue/${ID}`])('follows the job at %s, asking at once', async (job) => {
    const { client, clock } = await testClient([
      timeout({ links: { job } }),
      look('processing'),
      look('completed', { skin }),
    ]);
    expect((await client.generate({ url: 'https://a.example/' })).skin).toEqual(skin);
    expect(clock.sleeps).toEqual([0, 1_000]);
  });

  test('fails without asking again when it does not say which job it is', async () => {
    const { client } = await testClient([timeout()]);
    const failure = await failureOf(client.generate({ url: 'https://a.example/' }));
    expect(failure).toMatchObject({ name: 'ServiceError', code: 'generator_timeout', status: 500 });
  });

  test('does not follow the link of another error', async () => {
    const json = refusal('skin_change_failed', 'No.', { links: { job: `/v2/queue/${ID}` } });
    const { client } = await testClient([{ expect: GENERATE, status: 500, json }]);
    const failure = await failureOf(client.generate({ url: 'https://a.example/' }));
    expect(failure).toMatchObject({ code: 'skin_change_failed' });
  });
});
