import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { REFUSAL_ROWS, type RefusalRow } from '../../support/http/refusal-rows.ts';
import { failWaitingJob, REFUSAL_STORIES } from '../../support/http/refusal-stories.ts';
import { PNG } from '../../support/http/sending.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { hastyClock } from '../../support/server/hasty-clock.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const ROWS = [...REFUSAL_ROWS, ...REFUSAL_STORIES];

const BY_CODE = Object.entries(Object.groupBy(REFUSAL_ROWS, ({ code }) => code));

async function expectRefused(row: RefusalRow, server: ServerUnderTest): Promise<void> {
  const { code, status, when, send, says = '' } = row;
  try {
    const heard = await send(server);
    expectRefusal(heard, code, status);
    expect(heard.body.errors[0]?.message).toContain(says);
  } catch (error) {
    throw new Error(`It is not refused as it should be when ${when}.`, { cause: error });
  }
}

// Most are refused in the tests of what refuses them, too.
describe('A request is refused', () => {
  test.each(sampled(BY_CODE, 2))('with %s by a service that has just started', async (_, rows = []) => {
    const server = await runServer();
    for (const row of rows) await expectRefused(row, server);
  });

  test.each(sampled(REFUSAL_STORIES, 2))('with $code when $when', async (row) => {
    await expectRefused(row, await runServer(row.options));
  });

  test('with every existing code', () => {
    const onlyOnPostgres = 'store_unreachable'; // see unreachable-store.test.ts
    const onlyOnPages = 'link_gone'; // see pages/sessions.test.ts
    const covered = new Set<string>([...ROWS.map(({ code }) => code), onlyOnPostgres, onlyOnPages]);
    expect([...covered].toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  test('with one entry for each field that is wrong, and its path', async () => {
    const { owner } = await runServer();
    const fields = { visibility: 'secret', name: 'no/slash', cape: 'none', checkOnly: 'perhaps' };
    const { body } = await owner.upload('/v2/generate', PNG, fields);
    const [whole, ...each] = body.errors;
    expect(whole).toEqual({ code: 'validation_error', message: expect.any(String) });
    expect(each.map(({ path }) => path?.join('.')).toSorted()).toEqual(Object.keys(fields).toSorted());
    for (const { path, message } of each) expect(message).toContain(`${path?.join('.')}: `);
  });

  test('with the possible values of an option, for callers used to version 1', async () => {
    const { owner } = await runServer();
    const { body } = await owner.upload('/v2/generate', PNG, { visibility: '0', cape: 'red' });
    expect(body.errors.slice(1).map(({ message }) => message)).toEqual([
      'visibility: public, unlisted or private',
      'cape: the UUID of a cape',
    ]);
  });
});

describe('A job that makes no skin', () => {
  test('continues when the request stops waiting for it', async () => {
    const { owner } = await runServer({ workers: 0, clock: hastyClock });
    const { body } = await owner.upload('/v2/generate?timeout=1', PNG);
    const job = await owner.get(String(body.links['job']));
    expect([job.status, job.body.job?.status]).toEqual([200, 'waiting']);
  });

  test('is answered with 200, its reason and no skin', async () => {
    const server = await runServer({ workers: 0 });
    const { body } = await server.owner.upload('/v2/queue', PNG);
    await failWaitingJob(server, 'nova');
    const job = await server.owner.get(String(body.links['job']));
    expect(job.status).toBe(200);
    expect(job.body).toMatchObject({
      success: true,
      job: { id: body.job?.id, status: 'failed' },
      errors: [{ code: 'nova', message: 'It did not work.' }],
      messages: [{ code: 'job_failed' }],
    });
    expect(job.body).not.toHaveProperty('skin');
  });

  test('frees its slot', async () => {
    const server = await runServer({ workers: 0 });
    for (let n = 0; n < 5; n++) await server.owner.upload('/v2/queue', skinPng(n));
    const full = await server.owner.upload('/v2/queue', skinPng(5));
    expect(full.body.errors[0]?.code).toBe('job_limit');
    await failWaitingJob(server, 'job_failed');
    const statuses = [];
    for (const n of [5, 6]) statuses.push((await server.owner.upload('/v2/queue', skinPng(n))).status);
    expect(statuses).toEqual([202, 429]);
  });
});
