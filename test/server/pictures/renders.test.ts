import { describe, expect, onTestFinished, test } from 'vitest';
import type { Draw, RenderJob } from '../../../src/server/pictures/render-thread.ts';
import { RenderBudget, type RenderInput, Renders } from '../../../src/server/pictures/renders.ts';
import { KnownAddresses } from '../../../src/server/pools.ts';
import { anonymousCaller } from '../../../src/server/service/callers.ts';
import { Plans } from '../../../src/server/service/plans.ts';
import { encodePng, encodeSmallPng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawInto } from '../../../src/skin/render/render.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

const figure = drawFigure('slim');
const texture = { hash: pixelHash(figure), png: encodePng(figure) };

function input(more: Partial<RenderInput> = {}): RenderInput {
  return { skin: texture, view: 'head', variant: 'auto', overlay: true, width: 64, height: 64, ...more };
}

function open(draw?: Draw) {
  const clock = new MovableClock();
  const renders = new Renders(new RenderBudget(clock), new KnownAddresses(() => clock.monotonic()), draw);
  onTestFinished(async () => await renders.close());
  const plans = new Plans();
  const caller = (address = '127.0.0.1') => anonymousCaller({ address, origin: undefined }, plans);
  return { clock, renders, caller };
}

describe('a picture', () => {
  test('is what the renderer draws, with the arm width of the texture', async () => {
    const { renders, caller } = open();
    const { bytes } = await renders.render(input({ view: 'body', width: 30, height: 60 }), caller());
    const options = { view: 'body', variant: 'slim', width: 30, height: 60 } as const;
    expect(Buffer.from(bytes).equals(encodeSmallPng(drawInto(figure, options)))).toBe(true);
  });

  test('is drawn once for all concurrent and later requests', async () => {
    const drawn: RenderJob[] = [];
    const { renders, caller } = open(async (job) => Buffer.from(String(drawn.push(job))));
    const all = await Promise.all([1, 2, 3].map(() => renders.render(input(), caller())));
    const later = await renders.render(input(), caller());
    expect(new Set([...all, later].map(({ bytes }) => bytes)).size).toBe(1);
    expect(drawn).toEqual([expect.objectContaining({ skin: texture.png, view: 'head', width: 64 })]);
  });

  test('has its own cache key for every option that changes it', () => {
    const { renders } = open();
    const inputs = [
      input(),
      input({ view: 'face' }),
      input({ variant: 'slim' }),
      input({ overlay: false }),
      input({ width: 65 }),
      input({ height: 65 }),
      input({ skin: { ...texture, hash: 'b' } }),
      input({ cape: texture }),
    ];
    expect(new Set(inputs.map((one) => renders.nameOf(one))).size).toBe(inputs.length);
  });

  test('of a file that is not a skin is an error, and the next one is drawn', async () => {
    const { renders, caller } = open();
    const broken = input({ skin: { hash: 'broken', png: Buffer.from('hello') } });
    await expect(renders.render(broken, caller())).rejects.toThrow('InvalidImageError');
    expect((await renders.render(input(), caller())).bytes.length).toBeGreaterThan(0);
  });
});

describe('limits', () => {
  test('64 pictures may wait; more are refused until some are drawn', async () => {
    const { renders, caller } = open();
    const many = Array.from({ length: 80 }, (_, at) =>
      renders.render(input({ width: 8 + at }), caller(`10.0.0.${at}`)),
    );
    const settled = await Promise.allSettled(many);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(16);
    expect(refused[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
    expect((await renders.render(input({ width: 500 }), caller())).bytes.length).toBeGreaterThan(0);
  });

  test('one address has a budget by the size of its pictures, which comes back with time', () => {
    const { clock, caller } = open();
    const budget = new RenderBudget(clock);
    const large = { width: 1024, height: 1024 };
    const spendAll = (address: string) => {
      let times = 0;
      for (; times < 1_000; times++) {
        try {
          budget.spend(caller(address), large);
        } catch (error) {
          expect(error).toMatchObject({ code: 'rate_limit' });
          return times;
        }
      }
      return times;
    };
    expect([spendAll('10.0.0.1'), spendAll('10.0.0.2')]).toEqual([37, 37]);
    expect(spendAll('10.0.0.1')).toBe(0);
    clock.forward(60_000);
    expect(spendAll('10.0.0.1')).toBe(37);
  });
});
