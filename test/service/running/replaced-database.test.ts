import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../../support/postgres/own-database.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => await client.end());
  return client;
}

async function untilReplaced(anonymous: TestCaller): Promise<void> {
  await poll(
    async () => (await anonymous.get('/ready')).body as { reasons?: string[] },
    ({ reasons }) => reasons?.includes('store_replaced') ?? false,
  );
  const { status, headers, body } = await anonymous.upload('/v2/queue', skinPng(1));
  expect([status, body.errors?.[0]?.code, headers['retry-after']]).toEqual([503, 'store_unreachable', '2']);
  expect((await anonymous.get('/health')).status).toBe(200); // after a restart it would begin a new store
}

describe('A service whose database is replaced', () => {
  test('says so when it is gone, and when an empty one has its name', async () => {
    const url = await emptyDatabase();
    const name = new URL(url).pathname.slice(1);
    const { anonymous } = await runServer({ store: { url, connections: 3 } });
    const other = await connected(new URL('/postgres', url).href);
    await other.query(`drop database "${name}" with (force)`);
    await untilReplaced(anonymous());
    await other.query(`create database "${name}"`);
    await untilReplaced(anonymous());
  });

  test('continues by itself when the tables are back', async () => {
    const url = await emptyDatabase();
    const { anonymous } = await runServer({ store: { url, connections: 3 } });
    const other = await connected(url);
    await other.query('alter schema public rename to elsewhere');
    await untilReplaced(anonymous());
    await other.query('alter schema elsewhere rename to public');
    await poll(
      () => anonymous().get('/ready'),
      ({ status }) => status === 200,
    );
    expect((await anonymous().upload('/v2/queue', skinPng(1))).status).toBe(202);
  });
});
