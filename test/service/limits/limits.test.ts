import { Kysely } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

/** The rate limit stands in the body and in the headers, and both say the same. */
function expectAgreement({ status, headers, body }: Heard): void {
  const { next, delay, limit } = body.rateLimit!;
  expect(headers).toMatchObject({
    'x-ratelimit-limit': String(limit.minute.limit),
    'x-ratelimit-remaining': String(limit.minute.remaining),
    'x-ratelimit-reset': String(limit.minute.reset),
    'x-ratelimit-delay': String(delay.millis),
    'x-ratelimit-nextrequest': String(next.absolute),
  });
  const seconds = Math.max(1, Math.ceil(next.relative / 1000));
  expect(headers['retry-after']).toBe(status === 429 ? String(seconds) : undefined);
}

describe('The requests of one user', () => {
  const [PER_MINUTE, PER_HOUR] = isWhole ? [25, 60] : [10, 24];
  const plans = { gold: { queue: 1_000, per_minute: PER_MINUTE, per_hour: PER_HOUR } };

  test('however many come at the same instant, never pass more than the limit in any window', async () => {
    const clock = new MovableClock();
    const { users } = await runServerWithPlans(plans, { clock, workers: 0 });
    const accepted: number[] = [];
    let number = 0;
    const burst = async (size: number) => {
      const send = async () => await users.gold.upload('/v2/queue', skinPng(number++));
      const answers = await Promise.all(Array.from({ length: size }, send));
      for (const answer of answers.filter(({ status }) => status !== 202))
        expectRefusal(answer, 'rate_limit');
      const passed = answers.filter(({ status }) => status === 202).length;
      accepted.push(...Array<number>(passed).fill(clock.now()));
      return answers.find(({ status }) => status === 429);
    };
    const refused = await burst(3 * PER_MINUTE);
    expect(accepted).toHaveLength(PER_MINUTE);
    for (const wait of [20_000, 41_000, 30_500, 31_000]) {
      clock.forward(wait);
      await burst(PER_MINUTE + 5);
    }
    expect(accepted).toHaveLength(PER_HOUR);
    const within = (from: number, span: number) => accepted.filter((at) => at >= from && at <= from + span);
    for (const from of accepted) {
      expect(within(from, 60_000).length).toBeLessThanOrEqual(PER_MINUTE);
      expect(within(from, 3_600_000).length).toBeLessThanOrEqual(PER_HOUR);
    }
    expectAgreement(refused!);
  });

  test('get the time of the next allowed request, to the millisecond', async () => {
    const clock = new MovableClock();
    const { users } = await runServerWithPlans({ gold: { per_minute: 2 } }, { clock, workers: 0 });
    clock.forward(345);
    let number = 0;
    const send = async () => await users.gold.upload('/v2/queue', skinPng(number++));
    await send();
    clock.forward(10_400);
    expect((await send()).body.rateLimit?.limit.minute).toMatchObject({ used: 2, remaining: 0 });
    clock.forward(1);
    const refused = await send();
    expectRefusal(refused, 'rate_limit');
    expectAgreement(refused);
    const { next } = refused.body.rateLimit!;
    expect(next.absolute - clock.now()).toBe(next.relative);
    clock.forward(next.relative - 1);
    const still = await send();
    expectRefusal(still, 'rate_limit');
    expect(still.body.rateLimit?.next).toEqual({ absolute: next.absolute, relative: 1 });
    clock.forward(1);
    const passes = await send();
    expect(passes.status).toBe(202);
    expectAgreement(passes);
  });

  test('get the expected time of the next free slot once the last slot is taken', async () => {
    const work = new HeldWork();
    const { users } = await runServerWithPlans(
      { gold: { queue: 3, batch_generation: true } },
      { workers: 1, ...work.options },
    );
    const send = async (number: number) => await users.gold.upload('/v2/queue', skinPng(number));
    const told = async (number: number) => {
      const { status, body } = await send(number);
      return { status, next: body.rateLimit!.next, eta: body.job?.eta };
    };
    const first = await told(1);
    expect([first.status, first.next.relative]).toEqual([202, 0]);
    expect((await told(2)).next.relative).toBe(0);
    const last = await told(3);
    expect([last.status, last.next.relative > 0]).toEqual([202, true]);
    expect(last.next.absolute).toBeGreaterThanOrEqual(Number(first.eta));
    expect(last.next.absolute).toBeLessThan(Number(last.eta));
    expect((await told(3)).next.relative).toBeGreaterThan(0); // the same job again
    const refused = await send(4);
    expectRefusal(refused, 'job_limit');
    expect(refused.body.rateLimit?.next.relative).toBeGreaterThan(0);
    const batch = await users.gold.json('/v2/queue/batch', { batch: [{ url: dataUrl(skinPng(3)) }] });
    expect(batch.body.rateLimit?.next.relative).toBeGreaterThan(0);
  });

  test('cost nothing if they are known, joined or repeated', async () => {
    const { users } = await runServerWithPlans({ gold: { per_minute: 2 } }, { workers: 1, pace: 300 });
    await users.gold.upload('/v2/generate', skinPng(1));
    const queued = await users.gold.upload('/v2/queue', skinPng(2));
    expect(queued.body.rateLimit?.limit.used).toBe(2);
    for (const number of [1, 2, 1, 2]) {
      const answer = await users.gold.upload('/v2/queue', skinPng(number));
      expect([answer.status < 300, answer.body.rateLimit?.limit.used]).toEqual([true, 2]);
    }
    expectRefusal(await users.gold.upload('/v2/queue', skinPng(3)), 'rate_limit');
  });

  test('also cost nothing if the job that they would join ends meanwhile', async () => {
    const work = new HeldWork();
    const plans = { gold: { per_minute: 1 } };
    const { users } = await runServerWithPlans(plans, { workers: 1, ...work.options });
    const { body } = await users.gold.upload('/v2/queue', skinPng(1));
    const { transaction } = Kysely.prototype;
    const late = vi.spyOn(Kysely.prototype, 'transaction').mockImplementationOnce(function (
      this: Kysely<unknown>,
    ) {
      const begun = transaction.call(this);
      const execute: typeof begun.execute = async (decide) => {
        work.release();
        await poll(
          async () => (await users.gold.get(`/v2/queue/${body.job?.id}`)).body.job?.status,
          (status) => status === 'completed',
        );
        return await begun.execute(decide);
      };
      return { execute } as typeof begun;
    });
    onTestFinished(() => late.mockRestore());
    const again = await users.gold.upload('/v2/queue', skinPng(1));
    expect([again.status, again.body.rateLimit?.limit.used]).toEqual([200, 1]);
  });
});

onSqlite(describe)('Requests that wait for their skin', () => {
  test("follow the rules of the queue: only version 1 has the plan's delay", async () => {
    const { users } = await runServerWithPlans({ gold: { delay: 60, concurrency: 1 } });
    for (const number of [1, 2]) {
      const answer = await users.gold.upload('/v2/generate', skinPng(number));
      expect(answer.status).toBe(200);
      expectAgreement(answer);
      expect(answer.body.rateLimit).toMatchObject({
        next: { relative: 0 },
        delay: { millis: 0, seconds: 0 },
      });
    }
    expect((await users.gold.upload('/generate/upload', skinPng(3))).status).toBe(200);
    expect((await users.gold.upload('/generate/upload', skinPng(4))).status).toBe(429);
    expect((await users.gold.upload('/v2/generate', skinPng(4))).status).toBe(200);
  });

  test('are not kept waiting by a clock that ran ahead and was put back', async () => {
    const clock = new MovableClock();
    const { users } = await runServerWithPlans({ gold: { delay: 1.234, per_minute: 1 } }, { clock });
    clock.forward(24 * 3_600_000);
    expect((await users.gold.upload('/generate/upload', skinPng(1))).status).toBe(200);
    clock.forward(-24 * 3_600_000);
    expect((await users.gold.upload('/generate/upload', skinPng(2))).status).toBe(200);
    expectRefusal(await users.gold.upload('/v2/generate', skinPng(3)), 'rate_limit');
  });

  test('have to wait for a free slot when all are in use', async () => {
    const { users } = await runServerWithPlans({ gold: { queue: 2, concurrency: 1 } }, { pace: 20_000 });
    for (const number of [1, 2]) await users.gold.upload('/v2/queue', skinPng(number));
    await poll(
      () => users.gold.get('/v2/queue'),
      ({ body }) => body.jobs?.some(({ status }) => status === 'processing') === true,
    );
    const refused = await users.gold.upload('/v2/generate', skinPng(3));
    expectRefusal(refused, 'rate_limit');
    expectAgreement(refused);
    expect(refused.body.errors.map(({ code }) => code)).toEqual(['rate_limit', 'job_limit']);
    const queued = await users.gold.upload('/v2/queue', skinPng(3));
    expectRefusal(queued, 'job_limit');
    expectAgreement(queued);
    for (const { body } of [refused, queued]) {
      expect(body.rateLimit?.next.relative).toBeGreaterThan(0);
      expect(body.rateLimit?.next.relative).toBeLessThanOrEqual(20_000 * 1.1 + 100);
    }
  });
});

onSqlite(describe)('A submission that is refused', () => {
  const refusals: Readonly<Record<string, (caller: TestCaller) => Promise<Heard>>> = {
    'for its picture': async (caller) => await caller.upload('/v2/generate', Buffer.from('no picture')),
    'for its picture, in the queue': async (caller) =>
      await caller.upload('/v2/queue', Buffer.from('no picture')),
    'for want of a duplicate': async (caller) => await caller.upload('/v2/queue?checkOnly=1', skinPng(2)),
    'for want of the job': async (caller) => await caller.send('POST', '/v2/queue/none/retry'),
    'for its plan': async (caller) => await caller.json('/v2/queue/batch', { batch: [{ user: 'Smith_7' }] }),
  };

  test('tells how much of the limit is used up, for whatever reason it is refused', async () => {
    const { users } = await runServerWithPlans({ gold: {} }, { workers: 0 });
    await users.gold.upload('/v2/queue', skinPng(1));
    for (const [why, send] of Object.entries(refusals)) {
      const heard = await send(users.gold);
      expect([why, heard.status >= 400, heard.body.rateLimit?.limit.used]).toEqual([why, true, 1]);
      expectAgreement(heard);
    }
  });

  test('contain no limits if their form is wrong, as at the hosted service', async () => {
    const { owner } = await runServer();
    for (const heard of [
      await owner.upload('/v2/generate', skinPng(1), { visibility: 'secret' }),
      await owner.json('/v2/queue/batch', { batch: [] }),
      await owner.upload('/v2/generate?timeout=31', skinPng(1)),
      await owner.get(`/v2/skins/${'0'.repeat(32)}`),
    ]) {
      expect(heard.body).not.toHaveProperty('rateLimit');
      expect(heard.headers).not.toHaveProperty('x-ratelimit-limit');
    }
  });
});
