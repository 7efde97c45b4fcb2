import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';

guardAgainstLeaks();

const PLANS = { gold: { per_minute: 2, per_hour: 100 }, lead: { per_minute: 2 } };

/** One picture, under any number of names. */
test('A caller adds at most ten records of existing skins to the public list for each generation per minute', async () => {
  const clock = new MovableClock();
  const { users } = await runServerWithPlans(PLANS, { clock });
  const { gold, lead } = users;
  await gold.upload('/v2/generate', skinPng(1));
  const send = async (number: number) =>
    await gold.upload('/v2/queue', skinPng(1), { name: `copy ${number}` });
  const answers = await Promise.all(Array.from({ length: 30 }, async (_, number) => await send(number)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(10);
  for (const answer of refused) expectRefusal(answer, 'rate_limit');
  const next = refused[0]?.body.rateLimit?.next.relative ?? 0;
  expect((await gold.get('/v2/skins?size=128')).body.skins).toHaveLength(21);
  expect((await gold.get('/v2/queue')).body.jobs).toHaveLength(21);

  // New pictures and other callers are not affected; duplicates pass again at the announced time.
  expect((await gold.upload('/v2/queue', skinPng(2))).status).toBe(202);
  expect((await lead.upload('/v2/queue', skinPng(1))).status).toBe(200);
  clock.forward(next - 1);
  expectRefusal(await send(31), 'rate_limit');
  clock.forward(1);
  expect((await send(31)).status).toBe(200);
});

test('Each check for a duplicate counts as one duplicate, even a repeated check', async () => {
  const { users } = await runServerWithPlans(PLANS);
  await users.gold.upload('/v2/generate', skinPng(1));
  for (let n = 0; n < 20; n++) {
    const checkOnly = String(n % 2 === 0);
    expect((await users.gold.upload('/v2/queue', skinPng(1), { checkOnly })).status).toBe(200);
  }
  expectRefusal(await users.gold.upload('/v2/queue', skinPng(1), { checkOnly: 'true' }), 'rate_limit');
  expectRefusal(await users.gold.upload('/v2/generate', skinPng(1)), 'rate_limit');
});
