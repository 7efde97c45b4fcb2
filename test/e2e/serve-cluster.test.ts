import { mkdir } from 'node:fs/promises';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPending } from '../../src/protocol/job.ts';
import { RoundRobin } from '../support/cluster/round-robin.ts';
import { ownDatabase } from '../support/postgres/own-database.ts';
import { pixelsOf, Workshop } from '../support/program/batches.ts';
import { freshMachine, type Serving } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';
import { TestCaller } from '../support/server/test-caller.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** Enough for rounds of all slots before, between and after the kills; each more takes CPU. */
const COUNT = isWhole ? 48 : 9;
/** In `npm test` one of two servers is killed: processes/chaos kills some of three nodes. */
const [SERVERS, KILLS] = isWhole ? [3, 2] : [2, 1];
/** Milliseconds: jobs of a server that was killed are taken over after ten seconds, and the machine may be busy. */
const PATIENCE = 600_000;
const SLOTS = 5;

/** Servers on machines of their own over one database, behind a load balancer. */
class Cluster {
  readonly database: string;
  readonly front: RoundRobin;
  readonly #serving: Serving[] = [];

  constructor(database: string, front: RoundRobin) {
    this.database = database;
    this.front = front;
  }

  static async start(count: number): Promise<Cluster> {
    const cluster = new Cluster(await ownDatabase(), await RoundRobin.start());
    for (let n = 0; n < count; n++) await cluster.add();
    return cluster;
  }

  /** The owner's key. */
  get key(): string {
    return this.#serving[0]?.key ?? '';
  }

  async add(): Promise<void> {
    const machine = await freshMachine();
    const store = ['--store', this.database, '--store-connections', '4'];
    // Jobs take long enough that a server has some in hand when it is killed.
    const args = [...store, '--public-url', this.front.url, '--pace', '100'];
    const serving = await machine.serve(args, this.key);
    this.#serving.push(serving);
    this.front.add(serving.url);
  }

  /** Kills a server, lets the balancer find that out by itself, and starts another one. */
  async replace(index: number): Promise<void> {
    const serving = this.#serving[index]!;
    await serving.end('SIGKILL');
    await this.add();
    this.front.remove(serving.url);
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => await client.end());
  return client;
}

/** Has the database itself write down how many slots are taken whenever a job is accepted. */
async function countSlots(admin: Client): Promise<void> {
  await admin.query(`create table slots_taken (slots int);
    create function count_slots() returns trigger language plpgsql as $$ begin
      insert into slots_taken select count(*) from jobs where owner = new.owner and status in ('waiting', 'processing');
      return null;
    end $$;
    create trigger count_slots after insert on jobs for each row execute function count_slots()`);
  onTestFinished(async () => {
    await admin.query('drop table slots_taken; drop function count_slots cascade');
  });
}

async function untilCompleted(admin: Client, count: number): Promise<void> {
  await poll(
    async () =>
      (await admin.query<{ n: string }>("select count(*) as n from jobs where status = 'completed'")).rows[0]
        ?.n,
    (n) => Number(n) >= count,
    PATIENCE,
  );
}

/** Every request of a client comes to another of the servers: to it they are one. */
async function expectOneService({ front, key }: Cluster): Promise<void> {
  front.answered.clear();
  const client = new TestCaller(front.url, { key });
  for (const n of [1, 2, 3].slice(0, KILLS + 1).map((number) => COUNT + number)) {
    const made = await client.upload('/v2/queue', skinPng(n), { name: `skin${n}` });
    expect(made.status).toBe(202);
    const path = `/v2/queue/${made.body.job?.id}`;
    const { body } = await poll(
      () => client.get(path),
      ({ status, body: { job } }) => status !== 200 || job === undefined || !isPending(job.status), // or it is odd
    );
    expect(body.job).toMatchObject({ id: made.body.job?.id, status: 'completed' });
    const uuid = body.skin?.uuid;
    expect((await client.get(`/v2/skins/${uuid}`)).body.skin).toMatchObject({ uuid, name: `skin${n}` });
    const again = await client.upload('/v2/generate', skinPng(n), { name: `skin${n}` });
    expect([again.status, again.body.skin]).toEqual([
      200,
      expect.objectContaining({ uuid, duplicate: true }),
    ]);
    expect((await client.get('/v2/queue')).body.jobs?.map(({ id }) => id)).toContain(made.body.job?.id);
  }
  expect(front.answered.size).toBe(SERVERS);
}

describe('Servers behind a load balancer', () => {
  test('complete a batch with each skin once and in five slots, while they are killed and replaced', {
    timeout: PATIENCE,
  }, async () => {
    const cluster = await Cluster.start(SERVERS);
    const admin = await connected(cluster.database);
    await countSlots(admin);
    const shop = new Workshop(await freshMachine(), { url: cluster.front.url, key: cluster.key });
    await mkdir(shop.folder);
    await shop.drawMany('skins', COUNT);
    const batch = shop.run('generate', 'skins', '--out', 'out');
    for (const [index, done] of [COUNT / 3, (COUNT * 2) / 3].slice(0, KILLS).entries()) {
      await untilCompleted(admin, done);
      await cluster.replace(index);
    }
    const { exitCode, stderr } = await batch;
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`${COUNT} sources: ${COUNT} made`)]);
    const lock = await shop.lock();
    const drawn = Array.from({ length: COUNT }, (_, n) => pixelsOf(n + 1));
    expect(lock.map(({ pixels }) => pixels).toSorted()).toEqual(drawn.toSorted());
    expect(await shop.files('out')).toHaveLength(COUNT + 1);
    const { rows } = await admin.query(`select count(*)::int as jobs, count(distinct identity)::int as skins,
      (select count(*)::int from slots_taken) as accepted, (select max(slots) from slots_taken) as slots
      from jobs where status = 'completed'`);
    expect(rows).toEqual([{ jobs: COUNT, skins: COUNT, accepted: COUNT, slots: expect.any(Number) }]);
    expect(rows[0]?.slots).toBeLessThanOrEqual(SLOTS);
    expect(cluster.front.answered.size).toBeGreaterThanOrEqual(SERVERS);
    await expectOneService(cluster);
  });
});
