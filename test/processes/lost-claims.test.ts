import { expect, test } from 'vitest';
import { openPostgresDb } from '../../src/server/store/postgres/postgres-store.ts';
import { type Cluster, openCluster } from '../support/cluster/cluster.ts';
import { writePlan } from '../support/cluster/plan.ts';
import { makeKeys } from '../support/cluster/users.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';
import { TestCaller } from '../support/server/test-caller.ts';

/**
 * Holds claims back, as a slow disk would, while the gate is shut, and writes down until when their leases last. Writes
 * down each statement that claims, too: one that finds no job leaves no other trace.
 */
const GATE = `
  create table gate (is_shut boolean);
  insert into gate values (true);
  create table claims (n bigint generated always as identity, lease_until bigint);
  create function hold_claim() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(1);
    while (select is_shut from gate) loop perform pg_sleep(0.01); end loop;
    insert into claims (lease_until) values (new.lease_until);
    return null;
  end $$;
  create trigger hold_claims after update of status on jobs
    for each row when (old.status = 'waiting' and new.status = 'processing') execute function hold_claim();
  create table tries (at timestamptz);
  create function note_try() returns trigger language plpgsql as $$
  begin
    if current_query() like '%attempts + 1%' then insert into tries values (clock_timestamp()); end if;
    return null;
  end $$;
  create trigger note_tries after update of status on jobs for each statement execute function note_try();
`;

async function startWithGate(): Promise<{ readonly cluster: Cluster; readonly caller: TestCaller }> {
  const plansFile = await writePlan('lost');
  const cluster = await openCluster(1, { plansFile, workers: 1 });
  const db = await openPostgresDb(cluster.postgres.urlOf('postgres'));
  const [key] = await makeKeys(db, cluster.nodes[0]!, 'lost');
  await db.destroy();
  await cluster.admin.query(GATE);
  return { cluster, caller: new TestCaller(cluster.nodes[0]?.url ?? '', { key }) };
}

/** The job, whose claim has come to the gate. */
async function untilClaiming(cluster: Cluster, caller: TestCaller, picture: number): Promise<string> {
  const { body } = await caller.upload('/v2/queue', skinPng(picture));
  await poll(
    async () => (await cluster.admin.query("select 1 from pg_locks where locktype = 'advisory'")).rowCount,
    (count) => count === 1,
  );
  return String(body.job?.id);
}

async function open({ admin }: Cluster): Promise<void> {
  await admin.query('update gate set is_shut = false');
}

/** Also forgets earlier claims. */
async function shut({ admin }: Cluster): Promise<void> {
  await admin.query('delete from claims');
  await admin.query('update gate set is_shut = true');
}

async function untilClaimed({ admin }: Cluster): Promise<void> {
  await poll(
    async () => (await admin.query('select 1 from claims')).rowCount,
    (count) => count !== 0,
  );
}

/** The node has claimed again. */
async function untilBack({ admin }: Cluster, before: Date): Promise<void> {
  await poll(
    async () => (await admin.query('select 1 from tries where at > $1', [before])).rowCount,
    (count) => count !== 0,
  );
}

async function expectMadeWithinLease({ admin }: Cluster, uuid: string): Promise<void> {
  const { rows } = await poll(
    async () => await admin.query('select status, finished_at, attempts from jobs where uuid = $1', [uuid]),
    (answer) => answer.rows[0]?.status === 'completed',
  );
  const claims = await admin.query('select lease_until from claims order by n');
  expect(claims.rowCount).toBe(2);
  expect(Number(rows[0].finished_at)).toBeLessThan(Number(claims.rows[0].lease_until));
  expect(rows[0].attempts).toBe(1);
}

test('A job is made before the lease of its claim ends, even if the answer was lost or the claim was committed after its worker claimed again', async () => {
  const { cluster, caller } = await startWithGate();
  const unanswered = await untilClaiming(cluster, caller, 1);
  cluster.nodes[0]?.proxy.stall();
  await open(cluster);
  await untilClaimed(cluster);
  cluster.nodes[0]?.proxy.heal();
  await expectMadeWithinLease(cluster, unanswered);

  await shut(cluster);
  const late = await untilClaiming(cluster, caller, 2);
  const { rows } = await cluster.admin.query('select now() as now');
  cluster.nodes[0]?.proxy.cut();
  await untilBack(cluster, rows[0].now);
  await open(cluster);
  await expectMadeWithinLease(cluster, late);
});
