import { describe, expect, test } from 'vitest';
import { PublishedContract } from '../../support/http/published-contract.ts';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { plansFile, userWithPlan } from '../../support/server/plans.ts';
import { poll } from '../../support/server/poll.ts';
import { parseAnswer, RawSocket } from '../../support/server/raw-socket.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const contract = new PublishedContract();
const BATCH = '/v2/queue/batch';

type Fields = Record<string, unknown>;

/** One item: picture `number`, with these options. */
const item = (number: number, options: Fields = {}): Fields => ({
  url: dataUrl(skinPng(number)),
  ...options,
});
const items = (...numbers: number[]): Fields[] => numbers.map((number) => item(number));

async function send(caller: TestCaller, batch: unknown, key = ''): Promise<Heard> {
  return await caller.json(BATCH, { batch }, { 'idempotency-key': key });
}

const codes = ({ body }: Heard) =>
  body.batch?.map(({ success, errors }) => (success ? 'taken' : errors?.[0]?.code));
const ids = ({ body }: Heard) => body.batch?.map(({ job }) => job?.id);

describe('A batch', () => {
  test('is queued in its order, and answered in the published form', async () => {
    const { owner } = await runServer({ workers: 0 });
    const heard = await send(owner, items(1, 2, 3));
    expect([heard.status, codes(heard)]).toEqual([202, ['taken', 'taken', 'taken']]);
    expect(contract.faults('post /v2/queue/batch', 202, heard.body)).toEqual([]);
    expect(heard.body).toMatchObject({ success: true, usage: {}, rateLimit: { limit: { used: 3 } } });
    const { jobs } = (await owner.get('/v2/queue')).body;
    expect(jobs?.map(({ id }) => id).toReversed()).toEqual(ids(heard));
  });

  test('gets existing skins at once, at no cost', async () => {
    const { owner } = await runServer();
    const named = { name: 'Smith' };
    const { skin } = (await owner.upload('/v2/generate', skinPng(1), named)).body;
    const heard = await send(owner, [item(2), item(1, named)]);
    const [first, second] = heard.body.batch ?? [];
    expect(first).toMatchObject({ success: true, job: { status: 'waiting' } });
    expect(second).toMatchObject({
      success: true,
      job: { status: 'completed', result: skin?.uuid },
      skin: { uuid: skin?.uuid, duplicate: true },
    });
    expect(heard.body.rateLimit?.limit.used).toBe(2);
    expect(contract.faults('post /v2/queue/batch', 202, heard.body)).toEqual([]);
  });

  test('has each item checked separately, with its own errors', async () => {
    const server = await runServer({ workers: 0 });
    const cape = await addCape(server, 'red');
    const batch = [
      item(1, { name: 'Smith', visibility: 'unlisted', variant: 'slim', cape }),
      { url: 'https://example.org/skin.png' },
      { user: 'Notch!' },
      {},
      item(2, { visibility: 'secret' }),
      item(2, { variant: 'wide' }),
      item(2, { cape: '0'.repeat(32) }),
      item(2, { checkOnly: true }),
      { ...item(2), user: '0'.repeat(32) },
      { url: 'data:image/png;base64,AAAA' },
      item(2),
    ];
    const heard = await send(server.owner, batch);
    expect(codes(heard)).toEqual([
      'taken',
      'invalid_image_url',
      'invalid_user',
      'invalid_request',
      'validation_error',
      'unknown_variant',
      'invalid_cape',
      'no_duplicate',
      'invalid_request',
      'invalid_image',
      'taken',
    ]);
    expect(heard.body.batch?.[4]?.errors?.[1]).toMatchObject({ path: ['visibility'] });
    expect(contract.faults('post /v2/queue/batch', 202, heard.body)).toEqual([]);
    expect((await server.owner.get('/v2/queue')).body.jobs).toHaveLength(2);
  });

  test('gives the slots to its first items, and refuses the others', async () => {
    const { owner } = await runServer({ workers: 0 });
    await owner.upload('/v2/queue', skinPng(9));
    const heard = await send(owner, items(1, 2, 3, 4, 5, 9, 6));
    const full = 'job_limit';
    expect(codes(heard)).toEqual(['taken', 'taken', 'taken', 'taken', full, 'taken', full]);
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(5);
  });

  test('only looks for skins when the query says so', async () => {
    const { owner } = await runServer();
    await owner.upload('/v2/generate', skinPng(1));
    const heard = await owner.json(`${BATCH}?checkOnly=true`, { batch: items(1, 2) });
    expect(codes(heard)).toEqual(['taken', 'no_duplicate']);
    expect(heard.body.rateLimit?.limit.used).toBe(1);
  });

  test('makes only one job when the same picture comes twice', async () => {
    const { owner } = await runServer({ workers: 0 });
    const [first, second, third] = ids(await send(owner, items(1, 1, 2))) ?? [];
    expect([first === second, second === third]).toEqual([true, false]);
  });

  test('takes 24 pictures of the largest size', async () => {
    const server = await runServer({ workers: 0 });
    const { owner } = server;
    const longest = Buffer.concat([skinPng(1), Buffer.alloc(19_900 - skinPng(1).length)]);
    const batch = Array.from({ length: 24 }, () => ({ url: dataUrl(longest), name: 'a'.repeat(48) }));
    const heard = await send(owner, batch);
    expect([heard.status, new Set(codes(heard))]).toEqual([202, new Set(['taken'])]);
    const pro = await userWithPlan(server, 'ann');
    expect(new Set(codes(await send(pro, items(...Array(24).keys()))))).toEqual(new Set(['taken']));
  });
});

describe('A batch that comes again under its key', () => {
  test('gets the same jobs, item by item', async () => {
    const server = await runServer({ workers: 0 });
    const first = await send(server.owner, items(1, 2), 'k');
    expect(ids(await send(server.owner, items(1, 2), 'k'))).toEqual(ids(first));
    expect(codes(await send(server.owner, items(1, 3), 'k'))).toEqual(['taken', 'invalid_request']);
    expect((await server.owner.get('/v2/queue')).body.jobs).toHaveLength(2);
  });

  test('gets the results of these jobs', async () => {
    const server = await runServer({ workers: 0 });
    const first = await send(server.owner, items(1), 'k');
    await failWaitingJob(server, 'job_failed');
    const [item] = (await send(server.owner, items(1), 'k')).body.batch ?? [];
    expect(item).toMatchObject({
      success: true,
      job: { id: ids(first)?.[0], status: 'failed' },
      errors: [{ code: 'job_failed' }],
    });
  });

  test('gets the skins of completed jobs', async () => {
    const { owner } = await runServer();
    const [id] = ids(await send(owner, items(1), 'k')) ?? [];
    const { skin } = (await jobAt(owner, id, 'completed')).body;
    const [item] = (await send(owner, items(1), 'k')).body.batch ?? [];
    expect(item).toMatchObject({
      success: true,
      job: { id, status: 'completed' },
      skin: { uuid: skin?.uuid },
    });
  });

  test('shares no idempotency key with a single request', async () => {
    const { owner } = await runServer({ workers: 0 });
    await send(owner, items(1), 'k');
    for (const key of ['k', 'k0', 'k:0', 'k 0']) {
      const heard = await owner.json('/v2/queue', item(2), { 'idempotency-key': key });
      expect(heard.status).toBe(202);
    }
  });
});

describe('A batch is refused as a whole', () => {
  test('without the grant for batches', async () => {
    const server = await runServer();
    const basic = await userWithPlan(server, 'bob', 'basic');
    for (const caller of [server.anonymous(), basic]) {
      const heard = await send(caller, items(1));
      expectRefusal(heard, 'insufficient_grants');
      expect(contract.faults('post /v2/queue/batch', 403, heard.body)).toEqual([]);
      expect((await caller.get('/v2/queue')).body.jobs).toEqual([]);
    }
  });

  test('before its body is read, if the grant for batches is missing', async () => {
    const { url } = await runServer();
    const socket = await RawSocket.open(url);
    const head = `POST /v2/queue/batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 700000`;
    socket.write(`${head}\r\n\r\n{"batch":[`);
    const heard = await poll(
      () => socket.heard,
      (text) => text.endsWith('}'),
    );
    expect(parseAnswer(heard)).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'insufficient_grants' }] },
    });
  });

  test('when it is no list of 1 to 24 objects', async () => {
    const { owner } = await runServer({ workers: 0 });
    for (const batch of [
      undefined,
      { 0: item(1) },
      [],
      Array.from({ length: 25 }, (_, n) => item(n)),
      [item(1), 'data:image/png;base64,AAAA'],
      [[item(1)]],
      [null],
    ]) {
      const heard = await send(owner, batch);
      expectRefusal(heard, 'validation_error');
      expect(contract.faults('post /v2/queue/batch', 400, heard.body)).toEqual([]);
    }
    expect((await owner.get('/v2/queue')).body.jobs).toEqual([]);
  });

  test('when it is not JSON, or too large', async () => {
    const { owner } = await runServer({ workers: 0 });
    expectRefusal(await owner.upload(BATCH, skinPng(1)), 'invalid_content_type');
    const form = { body: 'batch=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expectRefusal(await owner.send('POST', BATCH, form), 'validation_error');
    expectRefusal(await send(owner, [{ url: 'a'.repeat(800_000) }]), 'invalid_file', 413);
  });

  test('when it exceeds what is left of the limit per minute', async () => {
    const clock = new MovableClock();
    const plans = { pro: { per_minute: 4 } };
    const server = await runServer({ workers: 0, clock, plansFile: await plansFile(plans) });
    const pro = await userWithPlan(server, 'ann');
    expect(codes(await send(pro, items(1, 2, 3)))).toEqual(['taken', 'taken', 'taken']);
    const heard = await send(pro, items(4, 5));
    expectRefusal(heard, 'rate_limit');
    expect(contract.faults('post /v2/queue/batch', 429, heard.body)).toEqual([]);
    expect((await pro.get('/v2/queue')).body.jobs).toHaveLength(3);
    expect(codes(await send(pro, items(4)))).toEqual(['taken']);
    const wait = (await send(pro, items(5, 6))).body.rateLimit?.next.relative ?? 0;
    expect(wait).toBeGreaterThan(58_000);
    clock.forward(wait - 1);
    expectRefusal(await send(pro, items(5, 6)), 'rate_limit');
    clock.forward(1);
    expect(codes(await send(pro, items(5, 6)))).toEqual(['taken', 'taken']);
  });
});
