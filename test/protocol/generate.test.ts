import { describe, expect, test } from 'vitest';
import {
  generateOptionsSchema,
  generateQuerySchema,
  idempotencyKeySchema,
} from '../../src/protocol/generate.ts';
import { skinEditSchema, skinNameSchema } from '../../src/protocol/skin.ts';

describe('the options of a generation', () => {
  const taken: [what: string, sent: unknown, read: unknown][] = [
    ['nothing', {}, {}],
    [
      'everything',
      { variant: 'slim', visibility: 'private', name: 'A b-c_d.e', cape: 'AB'.repeat(16), checkOnly: true },
      { variant: 'slim', visibility: 'private', name: 'A b-c_d.e', cape: 'ab'.repeat(16), checkOnly: true },
    ],
    [
      'empty strings, as forms send what was left alone',
      { visibility: '', name: '', cape: '' },
      { visibility: undefined, name: undefined, cape: undefined },
    ],
    ['an unknown variant, which has an error of its own', { variant: 'wide' }, { variant: 'wide' }],
    ['fields of later versions', { later: 1 }, {}],
  ];
  test.each(taken)('may be %s', (_, sent, read) => {
    expect(generateOptionsSchema.parse(sent)).toEqual(read);
  });

  const refused: [what: string, sent: Record<string, unknown>][] = [
    ['a number for the visibility', { visibility: 0 }],
    ['a visibility that there is not', { visibility: 'secret' }],
    ['a cape that is no UUID', { cape: 'mojang' }],
    ['a flag that is no flag', { checkOnly: 'maybe' }],
    ['a name that is a number', { name: 7 }],
  ];
  test.each(refused)('may not have %s', (_, sent) => {
    const { error } = generateOptionsSchema.safeParse(sent);
    expect(error?.issues.map((issue) => issue.path)).toEqual([Object.keys(sent)]);
  });

  const flags: [sent: unknown, read: boolean][] = [
    [true, true],
    ['true', true],
    ['1', true],
    [false, false],
    ['false', false],
    ['0', false],
    ['', false],
  ];
  test.each(flags)('read the flag %j as %j', (checkOnly, read) => {
    expect(generateOptionsSchema.parse({ checkOnly }).checkOnly).toBe(read);
    expect(generateQuerySchema.parse({ checkOnly }).checkOnly).toBe(read);
  });

  test('omit a flag that was not sent', () => {
    expect(generateOptionsSchema.parse({}).checkOnly).toBeUndefined();
  });
});

const NAME_RULE = 'only A–Z, a–z, 0–9, spaces, _ . and -, at most 48 characters';

describe('the name of a skin', () => {
  test.each(['a', 'My Skin', 'a.b-c_d 9', 'x'.repeat(48)])('may be %j', (name) => {
    expect(skinNameSchema.parse(name)).toBe(name);
  });

  const refused = ['x'.repeat(49), 'Ü'.repeat(49), '', 'Zoë', 'a/b', 'a\n', '<b>'];
  test.each(refused)('may not be %j, for which there is one reason', (name) => {
    const reasons = skinNameSchema.safeParse(name).error?.issues.map(({ message }) => message);
    expect(reasons).toEqual([NAME_RULE]);
  });

  test.each(['x'.repeat(49), 'Zoë', 7])(
    '%j is refused with the reason wherever a skin gets its name',
    (name) => {
      for (const schema of [generateOptionsSchema, skinEditSchema]) {
        const reasons = schema.safeParse({ name }).error?.issues.map(({ message }) => message);
        expect(reasons).toEqual([NAME_RULE]);
      }
    },
  );
});

describe('the seconds that a generation is waited for', () => {
  const waits: [sent: string | undefined, read: number | undefined][] = [
    [undefined, undefined],
    ['1', 1],
    ['30', 30],
    ['2.5', 2.5],
  ];
  test.each(waits)('are, for %j, %s', (timeout, read) => {
    expect(generateQuerySchema.parse({ timeout }).timeout).toBe(read);
  });

  test.each(['0', '31', '-1', 'soon', ''])('cannot be %j', (timeout) => {
    expect(generateQuerySchema.safeParse({ timeout }).success).toBe(false);
  });
});

describe('an idempotency key', () => {
  test.each(['k', ' ', '~', 'k'.repeat(255)])('may be %j', (key) => {
    expect(idempotencyKeySchema.safeParse(key).success).toBe(true);
  });

  test.each(['', 'k'.repeat(256), 'a\u007f', 'a\n', '\nb', 'é'])('may not be %j', (key) => {
    expect(idempotencyKeySchema.safeParse(key).error?.issues[0]?.message).toContain('ASCII');
  });
});
