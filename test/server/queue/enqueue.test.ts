import { expect, test } from 'vitest';
import { recordKnownJob } from '../../../src/server/queue/enqueue.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { callbackOf, keepKey } from '../../support/server/stored-callbacks.ts';

test('A request for known data that comes again under its key adds no second callback to its job', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepKey(db);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const record = async (url: string) => {
    const job = newJob({ request: 'same', idempotencyKey: 'key', callback: callbackOf(url) });
    return await recordKnownJob(db, job, { skinUuid: 'f00d', now: 1 });
  };
  const [first, again] = [await record('https://a.example/one'), await record('https://a.example/two')];
  expect([first.kind, again.kind]).toEqual(['recorded', 'repeated']);
  const callbacks = await db.selectFrom('callbacks').select('url').execute();
  expect(callbacks).toEqual([{ url: 'https://a.example/one' }]);
});
