import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parse, safeParse } from '../../../src/protocol/envelope.ts';

const schemaOf = () => z.object({ id: z.string(), at: z.number().optional() });
const ROUNDS = 15;

describe('safeParse', () => {
  test('gives the same before and after the schema is compiled', () => {
    const schema = schemaOf();
    for (let round = 0; round < ROUNDS; round++) {
      expect(safeParse(schema, { id: 'a', more: 1 })).toEqual({ success: true, data: { id: 'a' } });
      expect(safeParse(schema, { id: 1 }).error?.issues).toMatchObject([{ path: ['id'] }]);
    }
  });

  test('compiles a schema after several values only', () => {
    const schema = schemaOf();
    const spy = vi.spyOn(schema, 'safeParse');
    for (let round = 0; round < ROUNDS; round++) safeParse(schema, { id: 'a' });
    const [first, ...rest] = spy.mock.calls.map(([, context]) => context?.jitless);
    expect([first, rest.at(-1)]).toEqual([true, false]);
  });
});

test('parse throws what is wrong', () => {
  expect(parse(schemaOf(), { id: 'a' })).toEqual({ id: 'a' });
  expect(() => parse(schemaOf(), {})).toThrow(z.ZodError);
});
