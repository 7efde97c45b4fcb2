import { describe, expect, test } from 'vitest';
import { skinPng } from '../drawn-skins.ts';
import { MovableClock } from '../movable-clock.ts';
import { poll } from '../poll.ts';
import { guardAgainstLeaks } from '../running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../test-caller.ts';
import { runServerWithPlans } from '../users-of-plan.ts';

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
  const PER_MINUTE = 25;
  const PER_HOUR = 60;
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
    const refused = await burst(200);
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

  test('are told to the millisecond when the next passes', async () => {
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

  test('that need no new generation cost nothing: known, joined and repeated ones', async () => {
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
});

describe('Requests that wait for their skin', () => {
  test('are let through again when the delay of the plan is over, those of the queue at once', async () => {
    const clock = new MovableClock();
    const { users } = await runServerWithPlans({ gold: { delay: 1.234 } }, { clock });
    const first = await users.gold.upload('/v2/generate', skinPng(1));
    expect(first.status).toBe(200);
    expectAgreement(first);
    expect(first.body.rateLimit).toMatchObject({ next: { relative: 1_234 }, delay: { millis: 1_234 } });
    clock.forward(1_233);
    const refused = await users.gold.upload('/v2/generate', skinPng(2));
    expectRefusal(refused, 'rate_limit');
    expectAgreement(refused);
    expect(refused.body.rateLimit?.next).toEqual({ absolute: clock.now() + 1, relative: 1 });
    const queued = await users.gold.upload('/v2/queue', skinPng(3));
    expect(queued.status).toBe(202);
    expect(queued.body.rateLimit).toMatchObject({ next: { relative: 0 }, delay: { millis: 0 } });
    expect((await users.gold.upload('/v2/generate', skinPng(1))).status).toBe(200);
    clock.forward(1);
    expect((await users.gold.upload('/v2/generate', skinPng(2))).status).toBe(200);
  });

  test('are not kept waiting by a clock that ran ahead and was put back', async () => {
    const clock = new MovableClock();
    const { users } = await runServerWithPlans({ gold: { delay: 1.234, per_minute: 1 } }, { clock });
    clock.forward(24 * 3_600_000);
    expect((await users.gold.upload('/v2/generate', skinPng(1))).status).toBe(200);
    clock.forward(-24 * 3_600_000);
    expect((await users.gold.upload('/v2/generate', skinPng(2))).status).toBe(200);
    expectRefusal(await users.gold.upload('/v2/generate', skinPng(3)), 'rate_limit');
  });

  test('are as many at once as are processed at once; the next is refused until one has ended', async () => {
    const { users } = await runServerWithPlans(
      { gold: { delay: 0, concurrency: 2 } },
      { workers: 2, pace: 400 },
    );
    const running = [1, 2].map(async (number) => await users.gold.upload('/v2/generate', skinPng(number)));
    await pending(users.gold, 2);
    const refused = await users.gold.upload('/v2/generate', skinPng(3));
    expectRefusal(refused, 'concurrency_limit');
    expectAgreement(refused);
    expect((await users.gold.upload('/v2/queue', skinPng(4))).status).toBe(202);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await users.gold.upload('/v2/generate', skinPng(3))).status).toBe(200);
  });
});

async function pending(caller: TestCaller, count: number): Promise<void> {
  await poll(
    () => caller.get('/v2/queue'),
    ({ body }) => body.jobs?.length === count,
  );
}
