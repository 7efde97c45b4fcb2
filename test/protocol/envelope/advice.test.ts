import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  advice,
  adviceLimit,
  adviceMoment,
  adviceNumber,
  adviceText,
  ignoredFields,
} from '../../../src/protocol/envelope.ts';

const MOMENT = Date.UTC(2026, 1, 3, 10, 12, 34);

describe('A field that is only advice', () => {
  test.each([
    ['milliseconds', MOMENT, MOMENT],
    ['seconds', MOMENT / 1000, MOMENT],
    ['seconds as text', `${MOMENT / 1000}`, MOMENT],
    ['seconds and a fraction', MOMENT / 1000 + 0.1234, MOMENT + 123],
    ['milliseconds and a fraction', MOMENT + 0.25, MOMENT],
    ['more than a Date accepts', 1e300, undefined],
    ['ISO 8601', '2026-02-03T10:12:34Z', MOMENT],
    ['null', null, undefined],
    ['a word', 'soon', undefined],
    ['nothing', undefined, undefined],
    ['a list', [MOMENT], undefined],
  ])('is read as a time if it is one: %s', (_, value, moment) => {
    expect(adviceMoment().parse(value)).toBe(moment);
  });

  test.each([
    [5, 5, 5],
    ['5', 5, 5],
    [0, 0, undefined],
    [-1, -1, undefined],
    [null, undefined, undefined],
    ['', undefined, undefined],
    ['many', undefined, undefined],
    [{}, undefined, undefined],
  ])('is read as a number or a limit if it is one: %j', (value, number, limit) => {
    expect([adviceNumber().parse(value), adviceLimit().parse(value)]).toEqual([number, limit]);
  });

  test('does not invalidate the answer when it is missing or of another type', () => {
    const schema = z.object({ id: z.string(), note: advice(z.string()), eta: adviceMoment() });
    expect(schema.parse({ id: 'a' })).toEqual({ id: 'a' });
    expect(schema.parse({ id: 'a', note: 7, eta: {} })).toEqual({ id: 'a' });
    expect(schema.safeParse({ note: 'x' }).success).toBe(false);
  });
});

describe('An odd field', () => {
  const schema = z.object({
    jobs: z.array(z.object({ id: z.string(), eta: adviceMoment(), note: advice(z.string()) })),
    user: advice(z.object({ name: advice(z.string()) })),
  });

  test('is reported with its path, and absent fields are not odd', () => {
    const odd = ignoredFields(schema, {
      jobs: [{ id: 'a' }, { id: 'b', eta: 'soon' }],
      user: { name: null },
    });
    expect(odd).toEqual([
      expect.stringMatching(/^jobs\.1\.eta: .*expected number/),
      expect.stringMatching(/^user\.name: .*expected string/),
    ]);
  });

  test('is not reported for a correct answer', () => {
    expect(
      ignoredFields(schema, { jobs: [{ id: 'a', eta: MOMENT, note: 'x' }], user: { name: 'n' }, more: 1 }),
    ).toEqual([]);
  });

  test('is anything except a text or null where a text is nullable', () => {
    const names = z.array(z.object({ name: adviceText() }));
    const rows = [{ name: null }, { name: 'n' }, {}, { name: 7 }];
    expect(names.parse(rows)).toEqual([{}, { name: 'n' }, {}, {}]);
    expect(ignoredFields(names, rows)).toEqual([expect.stringMatching(/^3\.name: /)]);
  });

  test('is reported at most five times', () => {
    const jobs = Array.from({ length: 9 }, () => ({ id: 'a', eta: null }));
    expect(ignoredFields(schema, { jobs })).toHaveLength(5);
  });
});
