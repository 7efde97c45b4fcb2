import { expect, test } from 'vitest';
import type { ServerOptions } from '../../../src/server/server.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { openOwnStore, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

/** The same store under a service that signs other data than before: at another address, unless options say more. */
async function changeSigner(
  server: ServerUnderTest,
  options: Partial<ServerOptions>,
): Promise<{ server: ServerUnderTest; owner: TestCaller }> {
  const { key, dataDir } = server;
  await server.close();
  const changed = await runServer({ dataDir, publicUrl: 'http://skins.example', ...options });
  return { server: changed, owner: new TestCaller(changed.url, { key, dataDir }) };
}

async function jobBeforeTheChange(fields: Record<string, string> = {}) {
  const before = await runServer({ workers: 0 });
  const { body } = await before.owner.upload('/v2/queue', skinPng(1), fields);
  return { before, id: body.job?.id };
}

test.each(['public', 'private'])(
  'A %s job that waits while the signer changes is signed by the new one, and its skin is then known',
  async (visibility) => {
    const { before, id } = await jobBeforeTheChange({ visibility });
    const { owner } = await changeSigner(before, { workers: 1 });
    const { body } = await jobAt(owner, id, 'completed');
    expect(body.skin?.texture.url.skin).toMatch(/^http:\/\/skins\.example\//);
    const again = await owner.upload('/v2/queue', skinPng(1), { visibility });
    expect(again.body.job).toMatchObject({ status: 'completed', result: body.skin?.uuid });
    const { db } = await openOwnStore(before.dataDir);
    expect(await db.selectFrom('texture_data').select('identity').execute()).toHaveLength(1);
  },
);

test('Data of the old signer is not used for a job of the new one', async () => {
  const before = await runServer({ workers: 1 });
  const { body } = await before.owner.upload('/v2/queue', skinPng(1), { name: 'one' });
  const { body: old } = await jobAt(before.owner, body.job?.id, 'completed');
  const { db } = await openOwnStore(before.dataDir);
  const { identity } = await db.selectFrom('texture_data').select('identity').executeTakeFirstOrThrow();
  const idle = await changeSigner(before, { workers: 0 });
  const waiting = await idle.owner.upload('/v2/queue', skinPng(1), { name: 'two' });
  // As if it had been accepted before the change, by a process that still runs.
  await db.updateTable('jobs').set({ identity }).where('status', '=', 'waiting').execute();
  const made = await changeSigner({ ...idle.server, key: before.key }, { workers: 1 });
  const { body: done } = await jobAt(made.owner, waiting.body.job?.id, 'completed');
  expect(done.skin?.texture.data.value).not.toBe(old.skin?.texture.data.value);
  expect(done.skin?.texture.url.skin).toMatch(/^http:\/\/skins\.example\//);
});

test('The same request after a change of signer gets the waiting job, with or without an idempotency key', async () => {
  const { before, id } = await jobBeforeTheChange();
  const { owner } = await changeSigner(before, { workers: 0 });
  const again = async (headers: Record<string, string>) =>
    (await owner.json('/v2/queue', { url: dataUrl(skinPng(1)) }, headers)).body.job?.id;
  expect([await again({}), await again({ 'idempotency-key': 'k' }), await again({})]).toEqual([id, id, id]);
});

test('A job with a cape fails when the new generator makes none, and says why', async () => {
  const before = await runServer({ workers: 0 });
  const cape = await addCape(before, 'red');
  const { body } = await before.owner.upload('/v2/queue', skinPng(1), { cape });
  const { owner } = await changeSigner(before, { workers: 1, generator: 'accounts' });
  const failed = await jobAt(owner, body.job?.id, 'failed');
  expect(failed.body.errors[0]?.code).toBe('invalid_cape');
});
