import { describe, expect, test } from 'vitest';
import { fragileFront } from '../../support/postgres/fragile-front.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** A service whose database is behind a network that can fail. */
async function fragileService(workers = 1) {
  const front = await fragileFront(await ownDatabase());
  const server = await runServer({ workers, store: { url: front.url, connections: 3 } });
  const untilReady = async (status: number) =>
    await poll(
      () => server.owner.get('/ready'),
      (heard) => heard.status === status,
    );
  return { ...server, front, untilReady };
}

describe('A service whose database is out of reach', () => {
  test('says so, is not ready, and is again when it is back', async () => {
    const { front, anonymous, untilReady } = await fragileService();
    front.cut();
    const { status, headers, body } = await anonymous().upload('/v2/queue', skinPng(1));
    expect([status, body.errors?.[0]?.code, headers['retry-after']]).toEqual([503, 'store_unreachable', '2']);
    const ready = await untilReady(503);
    expect(ready.body).toMatchObject({ reasons: expect.arrayContaining(['store_unreachable']) });
    const reasons = async () => (await anonymous().get('/ready')).body as { reasons?: string[] };
    await poll(reasons, (heard) => heard.reasons?.includes('workers_in_trouble') ?? false);
    expect((await anonymous().get('/health')).status).toBe(200); // a restart would not help
    front.mend();
    await untilReady(200);
    expect((await anonymous().upload('/v2/queue', skinPng(1))).status).toBe(202);
  });

  test('does its jobs by itself when it is back; streams end, so that their readers come again', async () => {
    const { front, owner } = await fragileService();
    const stream = await owner.events();
    const made = await owner.upload('/v2/queue', skinPng(1));
    front.cut();
    expect((await owner.upload('/v2/queue', skinPng(2))).status).toBe(503);
    await poll(
      () => stream.end,
      (end) => end !== undefined,
    );
    front.mend();
    const later = await poll(
      () => owner.upload('/v2/queue', skinPng(2)),
      ({ status }) => status !== 503,
    );
    for (const { body } of [made, later]) {
      await poll(
        () => owner.get(`/v2/queue/${body.job?.id}`),
        (heard) => heard.body.job?.status === 'completed',
      );
    }
  });

  test('asks for few connections, however many requests come', async () => {
    const { front, anonymous, untilReady } = await fragileService(0);
    front.cut();
    await untilReady(503);
    const [before, since] = [front.asked, performance.now()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => anonymous().get('/v2/queue')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    // One attempt for all each 200 ms at most, and those of the listener: however slow the machine is.
    expect(front.asked - before).toBeLessThan(15 + (performance.now() - since) / 200);
  });
});
