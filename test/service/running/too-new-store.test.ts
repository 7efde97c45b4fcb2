import { expect, onTestFinished, test } from 'vitest';
import { openStoreOf } from '../../../src/server/assembly/service-parts.ts';
import type { ServerOptions } from '../../../src/server/server.ts';
import { MIGRATIONS, NEWEST_SCHEMA } from '../../../src/server/store/meta.ts';
import { storeKind } from '../../support/postgres/on-postgres.ts';
import { emptyDatabase } from '../../support/postgres/own-database.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

type Store = Pick<ServerOptions, 'store' | 'dataDir'>;

/** What the test sees and changes in the store itself, as a program that knows every schema. */
async function opened({ store, dataDir }: Store, expands: boolean) {
  const newer = [...MIGRATIONS, { expands, apply: async () => {} }];
  const { db, close } = await openStoreOf({ store, dataDir, migrations: newer });
  onTestFinished(async () => await close());
  return { db, newer };
}

async function ownStore(): Promise<Pick<ServerOptions, 'store'>> {
  return storeKind() === 'sqlite' ? {} : { store: { url: await emptyDatabase() } };
}

test('When a newer program shuts out a server, it is not ready, writes nothing, and others do its jobs', async () => {
  const work = new HeldWork();
  const store = await ownStore();
  const old = await runServer({ workers: 1, ...work.options, ...store });
  const made = await old.owner.upload('/v2/queue', skinPng(1));
  const id = made.body.job?.id ?? '';
  await jobAt(old.owner, id, 'processing');
  const { db, newer } = await opened({ ...store, dataDir: old.dataDir }, false);
  const { body } = await poll(
    async () => await old.anonymous().get('/ready'),
    ({ status }) => status === 503,
  );
  expect(body).toMatchObject({ status: 'not_ready', reasons: ['store_too_new'] });

  const refused = await old.owner.upload('/v2/queue', skinPng(2));
  expectRefusal(refused, 'service_unavailable', 503);
  expect(refused.headers['retry-after']).toBe('2');
  const readJob = async () =>
    await db.selectFrom('jobs').selectAll().where('uuid', '=', id).executeTakeFirst();
  const before = await readJob();
  work.release(); // its result comes too late
  await old.close();
  expect(await readJob()).toEqual(before);
  expect(before).toMatchObject({ status: 'processing', attempts: 1 });

  await db.updateTable('jobs').set({ lease_until: 0 }).execute();
  const next = await runServer({ workers: 1, ...store, dataDir: old.dataDir, migrations: newer });
  const { status, attempts } = await poll(
    async () => (await readJob())!,
    ({ status }) => status === 'completed',
  );
  expect([status, attempts]).toEqual(['completed', 2]);
  expect(((await next.anonymous().get('/ready')).body as { warnings?: unknown }).warnings).toBeDefined();
});

test('A server continues beside a compatible newer program, and its operator is informed', async () => {
  const store = await ownStore();
  const { owner, dataDir } = await runServer(store);
  await opened({ ...store, dataDir }, true);
  const { body } = await poll(
    async () => await owner.get('/v2/account/doctor'),
    ({ body }) => JSON.stringify(body).includes('newer skinsmith'),
  );
  expect(body).toMatchObject({
    store: {
      findings: expect.arrayContaining([
        {
          code: 'store_schema',
          result: 'ok',
          message: `The schema of the store is version ${NEWEST_SCHEMA + 1}: a newer skinsmith has upgraded the store; this one, which knows ${NEWEST_SCHEMA}, still works with it.`,
        },
      ]),
    },
  });
  const made = await owner.upload('/v2/queue', skinPng(1));
  await jobAt(owner, made.body.job?.id, 'completed');
  expect((await owner.get('/ready')).status).toBe(200);
});
