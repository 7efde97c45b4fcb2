import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { GAME_ADDRESSES } from '../../../src/game/addresses.ts';
import { GAME_PACE } from '../../../src/game/http.ts';
import type { ServerOptions } from '../../../src/server/server.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { Judge } from '../../support/fuzz/judge.ts';
import { exchangeRaw, type RawRequest } from '../../support/fuzz/raw-exchange.ts';
import { type Description, requestsFor } from '../../support/fuzz/requests.ts';
import { storeKind } from '../../support/postgres/on-postgres.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { poll } from '../../support/server/poll.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { samples } from '../../support/setup/extent.ts';

guardAgainstLeaks();

/**
 * How many requests, and where a run that failed began: `FUZZ_REQUESTS=10000 FUZZ_SEED=1`. On PostgreSQL fewer are
 * enough: only the values that it refuses are of interest.
 */
const REQUESTS = Number(
  process.env['FUZZ_REQUESTS'] ?? (storeKind() === 'sqlite' ? samples(400) : samples(200)),
);
const SEED = process.env['FUZZ_SEED'] === undefined ? undefined : Number(process.env['FUZZ_SEED']);
/** Sent at the same time. */
const AT_ONCE = 25;
/** Milliseconds after which a connection on which nothing comes is taken to hang. */
const LIMIT = 60_000;

const PICTURES = [1, 2, 3].map((n) => `data:image/png;base64,${skinPng(n).toString('base64')}`);

/** The game is not there: what asks for players and accounts must bear that. */
const nowhere = Object.fromEntries(Object.keys(GAME_ADDRESSES).map((name) => [name, 'http://127.0.0.1:1']));
const unpaced = Object.fromEntries(
  Object.keys(GAME_PACE).map((name) => [name, { burst: 1_000_000, interval: 0 }]),
);

/** Ends slow requests soon, of which there are many; on a busy machine those of this test may be among them. */
const IMPATIENT = { networkLimits: { headersTimeout: 200, requestTimeout: 400 } };

async function runFuzzed(
  logStream: LogLines,
  options: Partial<ServerOptions> & { dataDir?: string } = {},
): Promise<ServerUnderTest> {
  return await runServer({
    workers: 1,
    logLevel: 'error',
    logStream,
    gameAddresses: nowhere,
    game: { rules: unpaced, timeout: 1_000 },
    ...options,
  });
}

/** Things that requests can be about; nothing of them is needed afterwards. */
async function makeThings(server: ServerUnderTest) {
  const { owner } = server;
  await owner.json('/v2/account/users', { name: 'ann', plan: 'pro' });
  await owner.json('/v2/account/users', { name: 'victim' });
  const ann = await owner.json('/v2/account/keys', { user: 'ann' });
  const spare = await owner.json('/v2/account/keys', { user: 'victim' });
  const skins = await Promise.all(
    (['public', 'private', 'unlisted'] as const).map(async (visibility, n) => {
      const { body } = await owner.upload('/v2/generate', skinPng(10 + n), { visibility });
      return body.skin!;
    }),
  );
  const cape = await addCape(server, 'Test');
  const { jobs = [] } = (await owner.get('/v2/queue')).body;
  const [bad, user, operator] = ['0'.repeat(64), ann.body.key?.secret, server.key].map(
    (key) => `Bearer ${key}`,
  );
  return {
    // Those who may do more come more often.
    keys: [undefined, bad, user, user, user, operator, operator, operator],
    known: {
      uuid: fc.oneof(fc.constantFrom(...skins.map(({ uuid }) => uuid), cape), fc.uuid()),
      name: fc.constantFrom('victim', 'victim', 'new', 'Smith', 'two words'),
      plan: fc.constantFrom('free', 'pro', 'none'),
      cape: fc.constantFrom('', cape),
      jobId: fc.oneof(fc.constantFrom(...jobs.map(({ id }) => id)), fc.uuid()),
      id: fc.constantFrom(String(spare.body.key?.id), '1', 'none'),
      hash: fc.constantFrom(...skins.map(({ texture }) => texture.hash.skin), 'f'.repeat(64)),
      user: fc.constantFrom('victim', 'new', '069a79f444e94726a5befca90e38aaf5'),
      url: fc.constantFrom(...PICTURES, 'http://127.0.0.1/x.png', 'http://10.0.0.1:22/', 'ftp://x'),
      callback: fc.constantFrom(...Array<string>(10).fill(''), 'http://192.168.0.1/', 'x'),
      visibility: fc.constantFrom('public', 'unlisted', 'private', '1'),
      variant: fc.constantFrom('', 'classic', 'slim', 'unknown', 'steve'),
      timeout: fc.constantFrom(1, 1, 1, 31),
    },
  };
}

/** It still works, all jobs have ended, the store is whole, and nothing was an error of its own. */
async function verifySound(
  { owner, dataDir }: Pick<ServerUnderTest, 'owner' | 'dataDir'>,
  logs: LogLines,
): Promise<void> {
  await inTime(async () => await owner.get('/health'));
  await inTime(async () => await owner.upload('/v2/generate', skinPng(99)));
  const { db } = await openOwnStore(dataDir);
  const pending = db.selectFrom('jobs').select('uuid').where('status', 'in', ['waiting', 'processing']);
  await poll(
    async () => await pending.execute(),
    (jobs) => jobs.length === 0,
  );
  if (db.store.kind === 'sqlite') await verifyFile(db);
  expect(logs.text).toBe('');
}

async function verifyFile(db: Db): Promise<void> {
  expect((await sql`pragma integrity_check`.execute(db)).rows).toEqual([{ integrity_check: 'ok' }]);
  expect((await sql`pragma foreign_key_check`.execute(db)).rows).toEqual([]);
}

/** The answer 200 to a request that may have come too slowly before. */
async function inTime(request: () => Promise<{ readonly status: number }>): Promise<void> {
  const { status } = await poll(request, (answer) => answer.status !== 408);
  expect(status).toBe(200);
}

test(`${REQUESTS} requests of every kind are answered as described, and do the service no harm`, async () => {
  const logs = new LogLines();
  const before = await runFuzzed(logs);
  const { dataDir, key } = before;
  const description = (await before.owner.get('/openapi.json')).body as unknown as Description;
  const things = await makeThings(before);
  await before.close();
  const { url } = await runFuzzed(logs, { ...IMPATIENT, dataDir });
  const port = Number(new URL(url).port);
  const judge = new Judge(dataDir);
  const sent = async (asked: RawRequest) => judge.verify(asked, await exchangeRaw(port, asked, LIMIT));
  const requests = fc.array(requestsFor(description, things), {
    minLength: AT_ONCE,
    maxLength: AT_ONCE,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      await Promise.all(all.map(sent));
    }),
    {
      numRuns: Math.ceil(REQUESTS / AT_ONCE),
      endOnFailure: true,
      ...(SEED !== undefined && { seed: SEED }),
      // Its own words would print all requests of the batch; what is wrong names the one.
      reporter: ({ failed, seed, errorInstance }) => {
        if (failed) throw new Error(`FUZZ_SEED=${seed}: ${errorInstance}`, { cause: errorInstance });
      },
    },
  );
  await verifySound({ owner: new TestCaller(url, { key, dataDir }), dataDir }, logs);
});
