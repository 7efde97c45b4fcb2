import { describe, expect, test } from 'vitest';
import { fragileFront } from '../../support/postgres/fragile-front.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runEmbedded } from '../../support/server/embedded-service.ts';
import { poll } from '../../support/server/poll.ts';
import { RawSocket } from '../../support/server/raw-socket.ts';
import { ALLOWED, receiver } from '../../support/server/receiver.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** Every sample by its name and labels, as Prometheus reads them. */
async function read(caller: TestCaller): Promise<Record<string, number>> {
  const { status, bytes } = await caller.get('/metrics');
  expect(status).toBe(200);
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

const settled = async (caller: TestCaller, name: string, value: number) =>
  await poll(
    () => read(caller),
    (samples) => samples[name] === value,
    3_000,
  );

const requestsTo = (route: string, method: string, status: number) =>
  `skinsmith_http_requests_total{route="${route}",method="${method}",status="${status}"}`;

describe('Who may read the metrics', () => {
  test('an operator, in the format that Prometheus reads', async () => {
    const { owner } = await runServer();
    const { headers } = await owner.get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('nobody else', async () => {
    const { anonymous, user } = await runServer();
    expectRefusal(await anonymous().get('/metrics'), 'unauthorized');
    expectRefusal(await (await user('bob')).get('/metrics'), 'insufficient_grants');
  });

  test('everyone, where the operator said so', async () => {
    const { anonymous } = await runServer({ openMetrics: true });
    expect((await anonymous().get('/metrics')).status).toBe(200);
  });

  test('nobody if the service is embedded, because nothing is counted there', async () => {
    const { ask } = await runEmbedded();
    expectRefusal(await ask('/metrics'), 'not_found');
  });
});

describe('The metrics count', () => {
  test('requests by route, method and status, and how long they took', async () => {
    const { owner, anonymous } = await runServer();
    for (const path of ['/v2/queue/a', '/v2/queue/b', '/nowhere', '/elsewhere']) await owner.get(path);
    await anonymous().send('HEAD', '/v2/queue/c');
    const samples = await settled(owner, requestsTo('none', 'GET', 404), 2);
    expect(samples[requestsTo('/v2/queue/:jobId', 'GET', 404)]).toBe(2);
    expect(samples[requestsTo('/v2/queue/:jobId', 'HEAD', 404)]).toBe(1);
    const took = 'skinsmith_http_request_duration_seconds';
    expect(samples[`${took}_count{route="/v2/queue/:jobId",method="GET"}`]).toBe(2);
    const sum = samples[`${took}_sum{route="/v2/queue/:jobId",method="GET"}`] ?? 0;
    expect([sum > 0, sum < 5]).toEqual([true, true]);
    expect(samples['skinsmith_refusals_total{code="job_not_found"}']).toBe(3);
  });

  test('completed jobs, generations with their duration, and duplicates', async () => {
    const { owner, user } = await runServer({ pace: 30 });
    await owner.upload('/v2/generate', skinPng(1));
    await (await user('bob')).upload('/v2/queue', skinPng(1));
    const samples = await settled(owner, 'skinsmith_jobs_completed_total', 1);
    expect(samples['skinsmith_generation_duration_seconds_count']).toBe(1);
    expect(samples['skinsmith_generation_duration_seconds_sum']).toBeGreaterThan(0.02);
    expect(samples['skinsmith_duplicates_total']).toBe(1);
  });

  test('permanently failed jobs, by their reason', async () => {
    const first = await runServer({ workers: 0 });
    for (const n of [1, 2]) await first.owner.upload('/v2/queue', skinPng(n));
    await first.close();
    const { db } = await openOwnStore(first.dataDir);
    const lost = { status: 'processing', attempts: 5, lease_owner: 'gone', lease_until: 1 } as const;
    await db.updateTable('jobs').set(lost).execute();
    const { anonymous } = await runServer({ dataDir: first.dataDir, workers: 0, openMetrics: true });
    await settled(anonymous(), 'skinsmith_jobs_failed_total{code="job_failed"}', 2);
  });

  test('workers that have a job', async () => {
    const { owner } = await runServer({ workers: 2, pace: 60_000 });
    await owner.upload('/v2/queue', skinPng(1));
    const samples = await settled(owner, 'skinsmith_workers{state="busy"}', 1);
    expect(samples['skinsmith_workers{state="idle"}']).toBe(1);
  });

  test('webhooks that are delivered, and webhooks that are given up', async () => {
    const { owner } = await runServer(ALLOWED);
    expect(await read(owner)).toMatchObject({
      'skinsmith_webhooks_total{outcome="delivered"}': 0,
      'skinsmith_webhooks_total{outcome="given_up"}': 0,
    });
    const gone = await receiver((_request, response) => void response.writeHead(410).end());
    await owner.upload('/v2/queue', skinPng(1), { callback: gone.url });
    await owner.upload('/v2/queue', skinPng(2), { callback: (await receiver()).url });
    await settled(owner, 'skinsmith_webhooks_total{outcome="given_up"}', 1);
    await settled(owner, 'skinsmith_webhooks_total{outcome="delivered"}', 1);
  });

  test('limits that refuse callers, by their code', async () => {
    const { owner } = await runServer({ workers: 0 });
    for (let n = 0; n < 6; n++) await owner.upload('/v2/queue', skinPng(n));
    const samples = await read(owner);
    expect(samples['skinsmith_refusals_total{code="job_limit"}']).toBe(1);
    expect(samples['skinsmith_jobs{status="waiting"}']).toBe(5);
    expect(samples['skinsmith_jobs{status="processing"}']).toBe(0);
  });

  test('event streams and connections that are open', async () => {
    const { owner, url } = await runServer();
    await owner.events();
    await RawSocket.open(url);
    const samples = await settled(owner, 'skinsmith_event_streams', 1);
    expect(samples['skinsmith_connections']).toBe(3); // the one that asks is the third
  });

  test('refused connections', async () => {
    const { owner, url } = await runServer({ networkLimits: { maxConnections: 1 } });
    const first = await RawSocket.open(url);
    await RawSocket.open(url);
    await first.untilClosed();
    const samples = await poll<Record<string, number>>(
      async () => await read(owner).catch(() => ({})), // the first may not be quite gone
      (found) => Object.keys(found).length > 0,
      3_000,
    );
    expect(samples['skinsmith_connections_dropped_total']).toBeGreaterThanOrEqual(1);
  });

  test('CPU time and memory of the process', async () => {
    const { owner } = await runServer();
    const samples = await read(owner);
    expect(samples['process_cpu_seconds_total']).toBeGreaterThan(0);
    expect(samples['process_resident_memory_bytes']).toBeGreaterThan(1e6);
  });

  test('the requests of each server separately', async () => {
    const [one, other] = [await runServer(), await runServer()];
    await one.owner.get('/nowhere');
    await settled(one.owner, requestsTo('none', 'GET', 404), 1);
    expect((await read(other.owner))[requestsTo('none', 'GET', 404)]).toBeUndefined();
  });
});

describe('With a store in PostgreSQL the metrics count', () => {
  test('connections to it, and the nodes that share it', async () => {
    const store = { url: await ownDatabase(), connections: 3 };
    const { owner } = await runServer({ store });
    await runServer({ store });
    const samples = await poll(
      async () => await read(owner),
      (found) => found['skinsmith_store_listening'] === 1 && found['skinsmith_nodes'] === 2,
    );
    expect(samples).toMatchObject({
      skinsmith_store_connections_limit: 3,
      skinsmith_store_waiting: 0, // the look itself does not count
      skinsmith_store_clock_skew_seconds: expect.closeTo(0, 0),
    });
    const { busy, idle } = {
      busy: samples['skinsmith_store_connections{state="busy"}'] ?? 0,
      idle: samples['skinsmith_store_connections{state="idle"}'] ?? 0,
    };
    expect([busy + idle > 0, busy + idle <= 3]).toEqual([true, true]);
  });

  test('everything except its content while it cannot be reached', async () => {
    const front = await fragileFront(await ownDatabase());
    const { anonymous } = await runServer({ store: { url: front.url, connections: 3 }, openMetrics: true });
    expect(await read(anonymous())).toMatchObject({
      'skinsmith_jobs{status="waiting"}': 0,
      skinsmith_nodes: 1,
    });
    front.cut();
    const samples = await read(anonymous());
    expect(samples['skinsmith_store_connections_limit']).toBe(3);
    for (const name of ['skinsmith_jobs{status="waiting"}', 'skinsmith_nodes'])
      expect(samples[name]).toBeUndefined();
  });
});
