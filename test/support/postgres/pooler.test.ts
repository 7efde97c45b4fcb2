import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownDatabase } from './own-database.ts';
import { pooler } from './pooler.ts';

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  onTestFinished(async () => await client.end().catch(() => {})); // the pooler may be gone
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function processOf(client: Client): Promise<unknown> {
  return (await client.query('select pg_backend_pid() as id')).rows[0].id;
}

/** Begins a transaction on this one of the database's connections. */
async function beginOn(client: Client, id: unknown): Promise<void> {
  await client.query('begin');
  if ((await processOf(client)) === id) return;
  await client.query('commit');
  await beginOn(client, id);
}

async function timeoutOf(client: Client): Promise<unknown> {
  return (await client.query('show statement_timeout')).rows[0].statement_timeout;
}

const MODES = ['session', 'transaction'] as const;

describe('The pooler of tests', () => {
  test.each(MODES)('refuses unknown startup parameters: %s', async (mode) => {
    const url = await pooler(await ownDatabase(), mode);
    const client = new Client({ connectionString: url, statement_timeout: 1_000 });
    await expect(client.connect()).rejects.toMatchObject({
      code: '08P01',
      message: 'unsupported startup parameter: statement_timeout',
    });
  });

  test.each(MODES)('passes on refusals of the database: %s', async (mode) => {
    const url = Object.assign(new URL(await ownDatabase()), { pathname: '/nowhere' }).href;
    const client = new Client({ connectionString: await pooler(url, mode) });
    await expect(client.connect()).rejects.toMatchObject({ code: '3D000' });
  });

  test('gives each session its own connection, which keeps its settings and statements', async () => {
    const client = await connected(await pooler(await ownDatabase(), 'session'));
    const first = await processOf(client);
    expect(await processOf(client)).toBe(first);
    await client.query('set statement_timeout = 7000');
    expect(await timeoutOf(client)).toBe('7s');
    for (const value of [1, 2]) {
      const { rows } = await client.query({ name: 'named', text: 'select $1::int as one', values: [value] });
      expect(rows).toEqual([{ one: value }]);
    }
  });

  test("gives each transaction a connection other than the last one's until it ends", async () => {
    const client = await connected(await pooler(await ownDatabase(), 'transaction'));
    const first = await processOf(client);
    expect(await processOf(client)).not.toBe(first);
    await client.query('begin');
    const inside = await processOf(client);
    expect(await processOf(client)).toBe(inside);
    await client.query('commit');
    expect(await processOf(client)).not.toBe(inside);
  });

  test('loses the state of a session where each transaction has another connection', async () => {
    const url = await pooler(await ownDatabase(), 'transaction');
    const [client, other] = [await connected(url), await connected(url)];
    const heard: unknown[] = [];
    client.on('notification', (notification) => heard.push(notification));
    await client.query('set statement_timeout = 7000');
    expect(await timeoutOf(client)).toBe('0');
    await client.query('begin');
    const listening = await processOf(client);
    await client.query('listen news');
    await client.query('commit');
    await beginOn(other, listening); // else the client may come back to it before the news, which it would hear then
    await client.query('notify news');
    await client.query('select 1');
    expect(heard).toEqual([]);
    const run = async () => await client.query({ name: 'named', text: 'select $1::int', values: [1] });
    await run();
    await expect(run()).rejects.toMatchObject({ code: '26000' });
  });

  test('ends the transaction of a client that is gone', async () => {
    const url = await ownDatabase();
    const client = await connected(await pooler(url, 'transaction'));
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(1)');
    await client.end();
    const other = await connected(url);
    await other.query('select pg_advisory_lock(1)');
    expect(await processOf(other)).toBeTypeOf('number');
  });
});
