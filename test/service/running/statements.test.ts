import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { generated, LIMITS, newJob } from '../../contract/jobs.ts';
import { storeKind } from '../../support/postgres/on-postgres.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { type EventReader, idOf, statusOf } from '../../support/server/event-reader.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { poll } from '../../support/server/poll.ts';
import { postgresQueue, sqliteQueue } from '../../support/server/queue-nodes.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { Statements, stopIntervals, transactionsIn } from '../../support/server/statements.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** Without what is done every so often: the counts would depend on the time that a test takes. */
const QUIET = { workers: 1, webhooks: false } as const;

/** Fewer than the slots of the plan `pro`. */
const SKINS = 20;
/** For the whole batch: at its end there is no more work (4), and once a minute the use of two keys is noted (5). */
const ONCE = 9;

const IS_POSTGRES = storeKind() === 'postgres';
/** On PostgreSQL two statements more lock the owner. */
const OF_BATCH = IS_POSTGRES ? 17 : 16;
/** On PostgreSQL each is a round trip: there the last claim says that nothing else waits, and SQLite is asked again. */
const ALONE = IS_POSTGRES ? 17 : 18;
/** Five at once: with one statement on PostgreSQL; each with its own on SQLite, where a statement takes microseconds. */
const CLAIMS_OF_FIVE = IS_POSTGRES ? 1 : 10;
const ENDS_OF_FIVE = IS_POSTGRES ? 35 : 17;

/** A quarter of the counts are lower. */
function quartileOf(counts: readonly number[]): number {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 4)]!;
}

async function submit(caller: TestCaller, number: number): Promise<void> {
  const key = { 'idempotency-key': `key ${number}` };
  await caller.json('/v2/queue', { url: dataUrl(skinPng(number)) }, key);
}

const ends = ({ events }: EventReader) => events.filter((event) => statusOf(event) === 'completed');

/** A user who has a skin and its completed job, on a service that is idle. */
async function runWithSkin(): Promise<{ caller: TestCaller; job: string; statements: Statements }> {
  stopIntervals();
  const server = await runServer(QUIET);
  const caller = await userWithPlan(server, 'ann');
  const stream = await caller.events();
  await submit(caller, 1);
  const [end] = await poll(
    () => ends(stream),
    (events) => events.length === 1,
  );
  await stream.close();
  await caller.get('/v2/me');
  const statements = new Statements();
  await untilQuiet(statements);
  return { caller, job: idOf(end!) ?? '', statements };
}

/** After the end of a job, workers look for the next one. */
async function untilQuiet(statements: Statements): Promise<void> {
  do await sleep(50);
  while (statements.take().length > 0);
}

test('A new skin of a batch takes few statements and transactions, from its submission to the event of its end', async () => {
  stopIntervals();
  const work = new HeldWork();
  const server = await runServer({ ...QUIET, ...work.options });
  const caller = await userWithPlan(server, 'ann');
  const stream = await caller.events();
  await stream.first(1);
  const statements = new Statements();
  for (let number = 0; number < SKINS; number++) await submit(caller, number);
  work.release();
  await poll(
    () => ends(stream),
    (events) => events.length === SKINS,
  );
  const texts = statements.take();
  expect(texts.length).toBeLessThanOrEqual(OF_BATCH * SKINS + ONCE);
  expect(transactionsIn(texts)).toBeLessThanOrEqual(2 * SKINS + 1);
});

describe('Few statements answer', () => {
  test.each<[string, number, (caller: TestCaller, job: string) => Promise<unknown>]>([
    ['one job', 1, async (caller, job) => await caller.get(`/v2/queue/${job}`)],
    ['the list of jobs', 1, async (caller) => await caller.get('/v2/queue')],
    ['a known skin', 3, async (caller) => await caller.json('/v2/queue', { url: dataUrl(skinPng(1)) })],
    [
      'a known skin with an idempotency key',
      5,
      async (caller) =>
        await caller.json('/v2/queue', { url: dataUrl(skinPng(1)) }, { 'idempotency-key': 'another' }),
    ],
  ])('%s', async (_, most, ask) => {
    const { caller, job, statements } = await runWithSkin();
    await ask(caller, job);
    expect(statements.take().length).toBeLessThanOrEqual(most);
  });
});

test('A new skin that comes alone wakes one of several workers', async () => {
  stopIntervals();
  const server = await runServer({ ...QUIET, workers: 4 });
  const caller = await userWithPlan(server, 'ann');
  const stream = await caller.events();
  const make = async (number: number) => {
    await submit(caller, number);
    await poll(
      () => ends(stream),
      (events) => events.length === number,
    );
  };
  await make(1);
  const statements = new Statements();
  const perSkin: string[][] = [];
  for (let number = 2; number <= SKINS; number++) {
    await make(number);
    perSkin.push(statements.take());
  }
  // What is done every so often falls to some of the skins, and on a slow machine to most of them.
  expect(quartileOf(perSkin.map(({ length }) => length))).toBeLessThanOrEqual(ALONE);
  expect(quartileOf(perSkin.map(transactionsIn))).toBeLessThanOrEqual(2);
});

test('Five waiting jobs are claimed and recorded with few statements', async () => {
  const { queue } = await (IS_POSTGRES ? await postgresQueue() : await sqliteQueue())();
  for (const owner of ['ann', 'ann', 'bob', 'bob', 'cid']) await queue.submit(newJob({ owner }), LIMITS);
  const statements = new Statements();
  const workers = [1, 2, 3, 4, 5];
  const leases = await Promise.all(workers.map(async (worker) => await queue.claim(`w${worker}`)));
  expect(statements.take().length).toBeLessThanOrEqual(CLAIMS_OF_FIVE);
  const ends = leases.map(async (lease) => await queue.complete(lease!, generated()));
  expect(await Promise.all(ends)).toEqual(Array(5).fill(true));
  const texts = statements.take();
  expect(texts.length).toBeLessThanOrEqual(ENDS_OF_FIVE);
  expect(transactionsIn(texts)).toBe(IS_POSTGRES ? 5 : 1);
});

test('A picture that was drawn before needs one statement', async () => {
  const { caller, job, statements } = await runWithSkin();
  const { body } = await caller.get(`/v2/queue/${job}`);
  const view = `/textures/${body.skin?.texture.hash.skin}/face.png`;
  expect((await caller.get(view)).status).toBe(200);
  statements.take();
  expect((await caller.get(view)).status).toBe(200);
  expect(statements.take()).toHaveLength(1);
});
