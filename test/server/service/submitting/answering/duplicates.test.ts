import { expect, test } from 'vitest';
import { countDuplicate, Duplicates } from '../../../../../src/server/service/submitting/answering.ts';
import { callerWith, limitsContext } from '../../../../support/server/limited-caller.ts';

const START = Date.UTC(2026, 0, 1, 12, 30, 30);

test('Duplicates are counted for each caller separately, even with very many callers', () => {
  const duplicates = new Duplicates();
  const count = (owner: string, now: number) => duplicates.count({ owner, limit: 2, now }) - now;
  expect([count('a', START), count('a', START)]).toEqual([0, 0]);
  for (let n = 0; n < 5_000; n++) expect(count(`other ${n}`, START)).toBe(0);
  expect(count('a', START)).toBe(61_000);
  expect(count('other 1', START)).toBe(0);
  for (let n = 0; n < 15_000; n++) count(`later ${n}`, START + 61_000);
  expect([count('a', START + 61_000), count('a', START + 61_000)]).toEqual([0, 0]);
  expect(count('a', START + 61_000)).toBe(61_000);
});

test('A caller may have ten duplicates per generation of a minute, then learns when the next one is allowed', async () => {
  const context = { ...(await limitsContext()), duplicates: new Duplicates() };
  const request = { caller: callerWith({ perMinute: 2 }), via: 'queue' } as const;
  for (let count = 0; count < 20; count++) await countDuplicate(context, request);
  const absolute = Math.floor(context.clock.now() / 1_000) * 1_000 + 61_000;
  context.clock.forward(500);
  await expect(countDuplicate(context, request)).rejects.toMatchObject({
    code: 'rate_limit',
    message: expect.stringContaining('at most 20 existing skins'),
    details: { rateLimit: { next: { absolute, relative: absolute - context.clock.now() } } },
  });
  context.clock.forward(absolute - context.clock.now());
  await countDuplicate(context, request);
});
