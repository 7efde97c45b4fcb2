import { expect, test } from 'vitest';
import { capePng } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** A waiting job of the caller that has failed by now. */
async function failedJob(
  { dataDir }: ServerUnderTest,
  caller: TestCaller,
  fields: Record<string, string> = {},
): Promise<string> {
  const id = String((await caller.upload('/v2/queue', skinPng(1), fields)).body.job?.id);
  const { db } = await openOwnStore(dataDir);
  const why = { error_code: 'skin_change_failed', error_message: 'The game was away.' };
  await db
    .updateTable('jobs')
    .set({ status: 'failed', finished_at: Date.now(), ...why })
    .where('uuid', '=', id)
    .execute();
  return id;
}

const retry = async (caller: TestCaller, id: string, headers: Record<string, string> = {}) =>
  await caller.send('POST', `/v2/queue/${id}/retry`, { headers });

test('A failed job is submitted again as a new one, with the same picture and options', async () => {
  const server = await runServer({ workers: 0 });
  const id = await failedJob(server, server.owner, { name: 'Anna', visibility: 'private', variant: 'slim' });
  const { status, body } = await retry(server.owner, id);
  expect([status, body.job]).toMatchObject([202, { status: 'waiting', source: 'skin.png' }]);
  expect(body.job?.id).not.toBe(id);
  const { db } = await openOwnStore(server.dataDir);
  const rows = await db
    .selectFrom('jobs')
    .select(['texture_hash', 'variant', 'visibility', 'name', 'source', 'request_key'])
    .execute();
  expect(rows).toHaveLength(2);
  expect(rows[1]).toEqual(rows[0]);
});

test('Retrying twice gives the same job, pending or under the same idempotency key', async () => {
  const server = await runServer({ workers: 0 });
  const id = await failedJob(server, server.owner);
  const key = { 'idempotency-key': 'again' };
  const first = (await retry(server.owner, id, key)).body.job?.id;
  expect((await retry(server.owner, id, key)).body.job?.id).toBe(first);
  expect((await retry(server.owner, id)).body.job?.id).toBe(first);
});

test('Retrying a job whose skin exists by now returns the skin', async () => {
  const server = await runServer();
  const made = await server.owner.upload('/v2/generate', skinPng(1));
  const { db } = await openOwnStore(server.dataDir);
  await db.updateTable('jobs').set({ status: 'failed', error_code: 'job_failed' }).execute();
  const { id } = (await server.owner.get('/v2/queue')).body.jobs![0]!;
  const { status, body } = await retry(server.owner, id);
  expect([status, body.job?.status, body.skin?.uuid]).toEqual([200, 'completed', made.body.skin?.uuid]);
});

test('A caller can retry only its own failed jobs, with a key that may generate', async () => {
  const server = await runServer({ workers: 0 });
  const id = await failedJob(server, server.owner);
  expectRefusal(await retry(await server.user('bob'), id), 'job_not_found');
  expectRefusal(await retry(server.owner, 'none'), 'job_not_found');
  const waiting = (await server.owner.upload('/v2/queue', skinPng(2))).body.job?.id;
  expectRefusal(await retry(server.owner, String(waiting)), 'invalid_request');
  const reading = await server.owner.json('/v2/account/keys', { scopes: ['read'] });
  const reader = new TestCaller(server.url, { key: reading.body.key?.secret });
  expectRefusal(await retry(reader, id), 'insufficient_grants');
});

test('A retry follows the current rules: a job with a cape hidden since is refused', async () => {
  const server = await runServer({ workers: 0 });
  const form = new FormData();
  form.set('alias', 'Red');
  form.set('file', new Blob([new Uint8Array(capePng(1))], { type: 'image/png' }), 'cape.png');
  const cape = (await server.owner.form('/v2/account/capes', form)).body.cape!;
  const id = await failedJob(server, server.owner, { cape: cape.uuid });
  expect((await retry(server.owner, id)).status).toBe(202);
  await server.owner.patch(`/v2/account/capes/${cape.uuid}`, { support: 'none' });
  expectRefusal(await retry(server.owner, id), 'invalid_cape');
});
