import { join } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { lookUp } from '../../../src/server/queue/enqueue.ts';
import { readPending } from '../../../src/server/queue/lists.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { migrate } from '../../../src/server/store/meta.ts';
import { openSqliteFile, sqliteDb } from '../../../src/server/store/sqlite.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { TestQueue } from '../../support/server/test-queue.ts';

/** A store in memory, and how many parts of statements it has compiled. */
async function openCounted(): Promise<{ db: Db; compiled: () => number }> {
  const database = new DatabaseSync(':memory:');
  const db = sqliteDb(database);
  onTestFinished(async () => await db.destroy());
  await migrate(db);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  let parts = 0;
  database.setAuthorizer(() => {
    parts++;
    return constants.SQLITE_OK;
  });
  return { db, compiled: () => parts };
}

/** What a job goes through, with values of its own. */
async function goThrough(db: Db, queue: TestQueue, round: number): Promise<void> {
  const submission = await queue.submit(
    newJob({ owner: `owner ${round}`, identity: `identity ${round}` }),
    LIMITS,
  );
  if (submission.kind !== 'queued') throw new Error(`The job is ${submission.kind}.`);
  const { uuid, owner } = submission.job;
  const lease = (await queue.claim(`worker ${round}`))!;
  if (round % 2 === 0) await queue.complete(lease, generated());
  else await queue.fail(lease, { code: 'job_failed', message: `${round}`, passing: false });
  await queue.findWithSkin(uuid);
  await readPending(db);
  const { textureHash, visibility } = newJob();
  const identities = [`identity ${round}`, `own ${round}`] as const;
  await lookUp(db, { owner, textureHash, visibility, name: null, idempotencyKey: undefined, identities }, 0);
}

test('A statement is compiled once, whatever values it is run with', async () => {
  const { db, compiled } = await openCounted();
  const queue = new TestQueue(db, { self: { host: 'here', pid: 1, nonce: 'x' }, clock: new MovableClock() });
  for (const round of [0, 1]) await goThrough(db, queue, round);
  const before = compiled();
  expect(before).toBeGreaterThan(0);
  for (const round of [2, 3, 4, 5]) await goThrough(db, queue, round);
  expect(compiled()).toBe(before);
});

test('A column that a newer process adds meanwhile does not shift the others', async () => {
  const path = join(await ownFolder(), 'it.db');
  const db = sqliteDb(await openSqliteFile(path));
  const newer = new DatabaseSync(path);
  onTestFinished(async () => {
    newer.close();
    await db.destroy();
  });
  newer.exec(
    'create table one (a); create table two (b); insert into one values (1); insert into two values (2)',
  );
  const read = async () => (await sql`select one.*, two.b from one join two`.execute(db)).rows;
  expect(await read()).toEqual([{ a: 1, b: 2 }]);
  newer.exec("alter table one add column added default 'new'");
  expect(await read()).toEqual([{ a: 1, added: 'new', b: 2 }]);
});
