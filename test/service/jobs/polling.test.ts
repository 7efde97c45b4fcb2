import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

test.each(['/v2/queue', '/queue'])(
  'A job at %s may be requested ten times in ten seconds, the list of jobs without limit',
  async (path) => {
    const clock = new MovableClock();
    const { owner, anonymous } = await runServer({ workers: 0, clock });
    const [one, other] = [
      await owner.upload('/v2/queue', skinPng(1)),
      await owner.upload('/v2/queue', skinPng(2)),
    ];
    const look = async ({ body }: Heard) => await owner.get(`${path}/${body.job?.id}`);
    for (let n = 0; n < 5; n++)
      expectRefusal(await anonymous().get(`${path}/${one.body.job?.id}`), 'job_not_found');
    const answers = await Promise.all(Array.from({ length: 12 }, async () => await look(one)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.find(({ status }) => status === 429)!;
    expectRefusal(refused, 'rate_limit');
    const { next } = refused.body.rateLimit!;
    expect(next.relative).toBeGreaterThan(8_000);
    expect(next.relative).toBeLessThanOrEqual(10_000);
    expect(refused.headers).toMatchObject({
      'retry-after': String(Math.ceil(next.relative / 1000)),
      'x-ratelimit-nextrequest': String(next.absolute),
    });
    expect((await look(other)).status).toBe(200);
    for (let n = 0; n < 15; n++) expect((await owner.get(path)).status).toBe(200);
    clock.forward(next.relative - 1);
    expectRefusal(await look(one), 'rate_limit');
    clock.forward(1);
    expect((await look(one)).status).toBe(200);
  },
);
