import { execa } from 'execa';
import { expect, test } from 'vitest';
import { keepTexture } from '../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../contract/jobs.ts';
import { childProgram } from '../support/program/child-program.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { openOwnStore } from '../support/server/running-server.ts';
import { TestQueue } from '../support/server/test-queue.ts';

const CLAIM_ALL = childProgram('claim-all');
const SUBMIT_KEYS = childProgram('submit-keys');
const JOBS = 300;
const KEYS = 100;

test('Three processes that claim at the same time each get different jobs', async () => {
  const folder = await ownFolder();
  const { db } = await openOwnStore(folder);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const queue = new TestQueue(db, { self: { host: 'here', pid: 1, nonce: 'x' } });
  const all = Array.from({ length: JOBS }, (_, n) => `job ${n}`);
  for (const request of all) await queue.submit(newJob({ request }), { ...LIMITS, slots: JOBS });
  const runs = await Promise.all([1, 2, 3].map(() => execa(process.execPath, [CLAIM_ALL, folder])));
  const claimed = runs.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
  expect(claimed.toSorted()).toEqual(all.toSorted());
});

test("Three processes that claim at the same time together keep to an owner's concurrency", async () => {
  const folder = await ownFolder();
  const { db } = await openOwnStore(folder);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const queue = new TestQueue(db, { self: { host: 'here', pid: 1, nonce: 'x' } });
  for (let n = 0; n < 40; n++) await queue.submit(newJob(), { ...LIMITS, slots: 40, concurrency: 25 });
  const runs = await Promise.all([1, 2, 3].map(() => execa(process.execPath, [CLAIM_ALL, folder])));
  expect(runs.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean))).toHaveLength(25);
});

test('Three processes that submit under the same keys at the same time get one job for each key', async () => {
  const folder = await ownFolder();
  const { db } = await openOwnStore(folder);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const runs = await Promise.all(
    [1, 2, 3].map(() => execa(process.execPath, [SUBMIT_KEYS, folder, String(KEYS)])),
  );
  const [first, ...others] = runs.map(({ stdout }) => stdout.split('\n'));
  expect(first).toHaveLength(KEYS);
  for (const other of others) expect(other).toEqual(first);
  expect(await db.selectFrom('jobs').select('id').execute()).toHaveLength(KEYS);
});
