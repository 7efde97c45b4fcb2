import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { plansFile } from '../../support/server/plans.ts';
import { giveSigningKey, guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

test('Each plan has at least as much of everything as the one below it', async () => {
  const { owner } = await runServer();
  const plans = (await owner.get('/v2/account/plans')).body.plans ?? [];
  const [free, ...paid] = ['free', 'lite', 'basic', 'plus', 'pro'].map((wanted) => {
    const { name, delay, ...more } = plans.find((plan) => plan.name === wanted)!;
    return { ...more, haste: -delay };
  });
  let below = free!;
  for (const plan of paid) {
    for (const [what, much] of Object.entries(plan)) {
      expect(Number(much), what).toBeGreaterThanOrEqual(Number(below[what as keyof typeof below]));
    }
    expect([plan.queue, plan.concurrency, plan.priority, plan.ad_free, plan.private_skins]).toEqual([
      expect.toSatisfy((queue) => queue > below.queue),
      expect.toSatisfy((concurrency) => concurrency > below.concurrency),
      expect.toSatisfy((priority) => priority > below.priority),
      true,
      true,
    ]);
    below = plan;
  }
  expect(below).toMatchObject({ early_access: true, batch_generation: true, capes: true });
});

test('Callers without a key have the strictest limits', async () => {
  const { owner, anonymous } = await runServer();
  const plans = (await owner.get('/v2/account/plans')).body.plans ?? [];
  const limitsOf = (name: string) => {
    const { name: _, delay, ...more } = plans.find((plan) => plan.name === name)!;
    return Object.entries({ ...more, haste: -delay }).map(([what, much]) => [what, Number(much)] as const);
  };
  const free = new Map(limitsOf('free'));
  const lower = limitsOf('anonymous').flatMap(([what, much]) => {
    expect(much, what).toBeLessThanOrEqual(free.get(what)!);
    return much < free.get(what)! ? [what] : [];
  });
  expect(lower).toEqual(['per_minute', 'per_hour', 'priority', 'player_names', 'haste']);
  const { rateLimit } = (await anonymous().get('/v2/delay')).body;
  expect(rateLimit?.limit.minute.limit).toBe(plans.find(({ name }) => name === 'anonymous')?.per_minute);
});

describe('A file of plans', () => {
  test('changes and adds plans; omitted values stay, or in a new plan are those of the plan free', async () => {
    const file = { lite: { queue: 9, delay: 0.25 }, gold: { per_minute: 7, capes: true } };
    const { owner } = await runServer({ plansFile: await plansFile(file) });
    const plans = (await owner.get('/v2/account/plans')).body.plans ?? [];
    const named = (name: string) => plans.find((plan) => plan.name === name);
    expect(named('lite')).toMatchObject({ queue: 9, delay: 0.25, per_minute: 120, private_skins: true });
    expect(named('gold')).toEqual({ ...named('free'), name: 'gold', per_minute: 7, capes: true });
  });

  test('holds for users and for callers without a key', async () => {
    const file = { anonymous: { queue: 1 }, gold: { queue: 2, private_skins: true } };
    const { owner, user, anonymous } = await runServer({ plansFile: await plansFile(file), workers: 0 });
    const bob = await user('bob');
    await owner.patch('/v2/account/users/bob', { plan: 'gold' });
    for (const [caller, slots] of [
      [anonymous(), 1],
      [bob, 2],
    ] as const) {
      for (let at = 1; at <= slots; at++)
        expect((await caller.upload('/v2/queue', skinPng(at))).status).toBe(202);
      expectRefusal(await caller.upload('/v2/queue', skinPng(9)), 'job_limit');
    }
    expect((await bob.get('/v2/me')).body.grants).toMatchObject({ plan: 'gold', queue: 2 });
  });

  test('is looked for in the data folder when none is named', async () => {
    const dataDir = await ownFolder();
    await giveSigningKey(dataDir);
    await writeFile(join(dataDir, 'plans.json'), '\uFEFF{"gold":{}}');
    const server = await runServer({ dataDir });
    const owner = new TestCaller(server.url, { key: server.key });
    expect((await owner.get('/v2/account/plans')).body.plans?.at(-1)?.name).toBe('gold');
  });

  test('that is gone leaves its users on the plan free, and the log says so', async () => {
    const first = await runServer({ plansFile: await plansFile({ gold: { queue: 9 }, silver: {} }) });
    const bob = (await first.owner.json('/v2/account/keys', { user: 'bob' })).body.key?.secret;
    for (const name of ['gus', 'gil']) await first.owner.json('/v2/account/users', { name, plan: 'silver' });
    await first.owner.patch('/v2/account/users/bob', { plan: 'gold' });
    await first.close();
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const second = await runServer({ dataDir: first.dataDir, logLevel: 'warn' });
    const lines = said.mock.calls.map(([line]) => String(line));
    said.mockRestore();
    expect(lines.filter((line) => line.includes('no longer exists'))).toEqual([
      expect.stringContaining('The plan gold no longer exists'),
      expect.stringContaining('The plan silver no longer exists'),
    ]);
    const again = new TestCaller(second.url, { key: bob });
    expect((await again.get('/v2/me')).body.grants).toMatchObject({ plan: 'free', queue: 5 });
  });

  const wrong: [what: string, content: unknown, says: string][] = [
    ['not JSON', '{"free":', 'it is not valid JSON'],
    ['a list', [], 'expected record'],
    ['an unknown limit', { gold: { perMinute: 5 } }, 'plan gold: Unrecognized key: "perMinute"'],
    ['a limit below its range', { gold: { queue: 0 } }, 'plan gold: queue: '],
    ['a limit above its range', { gold: { delay: 3601 } }, 'plan gold: delay: '],
    ['half a slot', { gold: { queue: 1.5 } }, 'plan gold: queue: '],
    ['a text for a number', { gold: { per_hour: '5' } }, 'plan gold: per_hour: '],
    ['a plan that is none', { gold: 5 }, 'plan gold: '],
    ['a plan with a capital', { Gold: {} }, 'plan Gold: only a–z, 0–9'],
    ['too much', `"${' '.repeat(256 * 1024)}"`, 'it has more than'],
  ];
  test.each(wrong)('that holds %s is refused, naming plan, place and reason', async (_, content, says) => {
    const path = await plansFile(content);
    const error = await runServer({ plansFile: path }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'plans_unusable' });
    expect((error as Error).message).toContain(`${path} cannot be used: `);
    expect((error as Error).message).toContain(says);
  });

  test('that does not exist is refused', async () => {
    const path = join(await ownFolder(), 'none.json');
    await expect(runServer({ plansFile: path })).rejects.toThrow(
      `${path} cannot be used: the file does not exist`,
    );
  });
});
