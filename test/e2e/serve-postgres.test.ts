import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownDatabase } from '../support/postgres/own-database.ts';
import { freshMachine, type Serving, saying } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { type EventReader, idOf, statusOf } from '../support/server/event-reader.ts';
import { poll } from '../support/server/poll.ts';
import type { TestCaller } from '../support/server/test-caller.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** Servers on machines of their own, all over one database; the first one's owner's key is that of all. */
async function serveOn(url: string, ...nodes: readonly (readonly string[])[]): Promise<Serving[]> {
  const serving: Serving[] = [];
  for (const args of nodes) {
    const machine = await freshMachine();
    serving.push(await machine.serve(['--store', url, '--store-connections', '4', ...args], serving[0]?.key));
  }
  return serving;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => await client.end());
  return (await client.query(sql)).rows;
}

async function untilEnded(stream: EventReader, count: number): Promise<string[]> {
  const ends = () =>
    stream.events.filter((event) => statusOf(event) === 'completed').map((event) => String(idOf(event)));
  return await poll(ends, ({ length }) => length >= count);
}

async function untilRefused(caller: TestCaller): Promise<void> {
  await poll(
    async () => (await caller.get('/v2/me')).status,
    (status) => status === 403,
  );
}

/** Made on a machine that has only the address of the database. */
async function expectOwnersNewKey(url: string, { caller }: Serving): Promise<void> {
  const { exitCode, stdout } = await (await freshMachine()).run(['keys', 'create', '--owner', '--json'], {
    env: { SKINSMITH_STORE: url },
  });
  expect(exitCode).toBe(0);
  const { secret } = JSON.parse(stdout) as { secret: string };
  expect((await caller(secret).get('/v2/me')).body.name).toBe('owner');
}

describe('Servers with the same PostgreSQL', () => {
  test('act as one: five of 24 simultaneous requests get a slot, keys are known at once, and any server submits, makes and reports jobs', async () => {
    const url = await ownDatabase();
    // Two in `npm test`: processes/chaos has three nodes.
    const serving = await serveOn(url, ...Array.from({ length: isWhole ? 3 : 2 }, () => ['--workers', '0']));
    const [one, two, three = two] = serving as [Serving, Serving, Serving?];
    const made = await one.caller().json('/v2/account/keys', { user: 'ann' });
    const key = String(made.body.key?.secret);
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        return await serving[n % serving.length]!.caller(key).upload('/v2/queue', skinPng(n));
      }),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(5).fill(202), ...Array(19).fill(429)]);
    expect(await query(url, 'select count(*) from jobs')).toEqual([{ count: '5' }]);

    await one.caller().send('DELETE', `/v2/account/keys/${made.body.key?.id}`);
    await untilRefused(two.caller(key));
    await expectOwnersNewKey(url, three);

    const stream = await three.caller().events('/v2/queue/events');
    const sent = await Promise.all(
      [101, 102, 103].map(async (seed) => await one.caller().upload('/v2/queue', skinPng(seed))),
    );
    const ids = sent.map(({ body }) => String(body.job?.id));
    const worker = await (await freshMachine()).serve(['--store', url, '--store-connections', '4']);
    expect((await untilEnded(stream, 3)).toSorted()).toEqual(ids.toSorted());
    expect((await two.caller().get(`/v2/queue/${ids[0]}`)).body.job).toMatchObject({ status: 'completed' });
    expect(await worker.end('SIGTERM')).toMatchObject({ exitCode: 0 });
  });

  test('wait for a database that is not up yet, and never print its password', async () => {
    const url = new URL(await ownDatabase());
    const machine = await freshMachine();
    const port = '1';
    const store = Object.assign(new URL(url.href), { port, password: 'geheim' }).href;
    const child = machine.start(['serve', '--port', '0', '--json'], { env: { SKINSMITH_STORE: store } });
    const said = await saying(child, 'stderr', /Waiting for it\./);
    child.kill('SIGTERM');
    const { stdout, stderr } = await child;
    expect(said).toContain('PostgreSQL cannot be used');
    expect(`${stdout}${stderr}`).not.toContain('geheim');
  });

  test('say what PostgreSQL refuses, with an exit status', async () => {
    const store = Object.assign(new URL(await ownDatabase()), {
      pathname: '/nowhere',
      password: 'geheim',
    }).href;
    const machine = await freshMachine();
    const { exitCode, stderr } = await machine.start(['serve', '--port', '0', '--store', store]);
    expect([exitCode, String(stderr)]).toEqual([
      1,
      expect.stringContaining('database "nowhere" does not exist'),
    ]);
    expect(String(stderr)).not.toContain('geheim');
  });
});
