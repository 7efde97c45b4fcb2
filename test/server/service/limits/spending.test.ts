import { expect, test } from 'vitest';
import { requireRoom, spendGeneration } from '../../../../src/server/service/limits.ts';
import { Refusal } from '../../../../src/server/service/refusal.ts';
import { callerWith, limitsContext } from '../../../support/server/limited-caller.ts';

const SHARED = { together: { owner: 'all strangers', perHour: 2 } };

type Context = Awaited<ReturnType<typeof limitsContext>>;

/** The code of the refusal; undefined if there is none. */
async function refusal(request: Promise<void>): Promise<string | undefined> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error !== undefined && !(error instanceof Refusal)) throw error;
  return error?.code;
}

async function spend(context: Context, request: Parameters<typeof spendGeneration>[1]) {
  return await refusal(spendGeneration(context, request));
}

async function room(context: Context, request: Parameters<typeof requireRoom>[1]) {
  return await refusal(requireRoom(context, request));
}

test.each([
  [{ perMinute: 2 }, 'rate_limit', 61_000],
  [{ perHour: 2 }, 'rate_limit', 3_660_000],
  [SHARED, 'anonymous_limit', 3_660_000],
])(
  'With the limits %j there is room for two, then again when the span is over',
  async (limits, code, span) => {
    const context = await limitsContext();
    const request = { caller: callerWith(limits), via: 'queue' } as const;
    const steps = [];
    for (let step = 0; step < 3; step++)
      steps.push(await room(context, request), await spend(context, request));
    expect(steps).toEqual([undefined, undefined, undefined, undefined, code, code]);
    context.clock.forward(span);
    expect([await room(context, request), await spend(context, request)]).toEqual([undefined, undefined]);
  },
);

test('Neither a check for room nor a refusal costs anything', async () => {
  const context = await limitsContext();
  const request = { caller: callerWith({ perMinute: 1 }), via: 'queue' } as const;
  for (let step = 0; step < 3; step++) expect(await room(context, request)).toBeUndefined();
  await spend(context, request);
  context.clock.forward(30_000);
  expect(await spend(context, request)).toBe('rate_limit');
  context.clock.forward(31_000);
  expect(await room(context, request)).toBeUndefined();
});

test("A caller's own limits count only that caller's part of the common limit", async () => {
  const context = await limitsContext();
  const ann = callerWith({ ...SHARED, perHour: 10 });
  const bob = { ...ann, owner: 'bob' };
  await spend(context, { caller: ann, via: 'queue' });
  await spend(context, { caller: bob, via: 'queue' });
  expect(await spend(context, { caller: bob, via: 'queue' })).toBe('anonymous_limit');
  const alone = callerWith({ perHour: 2 });
  expect(await spend(context, { caller: alone, via: 'queue' })).toBeUndefined();
  expect(await spend(context, { caller: alone, via: 'queue' })).toBe('rate_limit');
});

test('Only requests of version 1 start its delay', async () => {
  const context = await limitsContext();
  const caller = callerWith({ delay: 3_000 });
  await spend(context, { caller, via: 'queue' });
  expect(await spend(context, { caller, via: 'v1' })).toBeUndefined();
  expect(await spend(context, { caller, via: 'v1' })).toBe('rate_limit');
  expect(await spend(context, { caller, via: 'queue' })).toBeUndefined();
  context.clock.forward(3_000);
  expect(await spend(context, { caller, via: 'v1' })).toBeUndefined();
});
