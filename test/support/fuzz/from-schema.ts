import fc from 'fast-check';
import { anyJson, anyText } from './junk.ts';

/** As much of a JSON schema as our description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Values by the name of the field they are for, where a schema does not tell what exists. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Mostly what the schema says; sometimes, anywhere in it, something else. */
export function valueFor(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 40, arbitrary: goodValue(schema, known, name) },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: anyText },
  );
}

function goodValue(schema: Schema, known: Known, name: string): fc.Arbitrary<unknown> {
  const own = known[name];
  if (own) return own;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one) => goodValue(one, known, name)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return byType(schema, known);
}

function byType(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return objectFor(schema, known);
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: bound(schema.minimum, 0), max: bound(schema.maximum, 1000) });
    case 'string':
      return textFor(schema);
    default:
      return anyJson;
  }
}

/** Ends of the safe integers stand for no end. */
function bound(given: number | undefined, otherwise: number): number {
  return given === undefined || Math.abs(given) > 1e9 ? otherwise : given;
}

function objectFor(
  { properties = {}, required = [] }: Schema,
  known: Known,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties).map(([name, one]): [string, fc.Arbitrary<unknown>] => [
    name,
    valueFor(one, known, name),
  ]);
  const given = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  const odd = fc.dictionary(anyText, anyJson, { maxKeys: 2 });
  return fc.oneof(
    { weight: 12, arbitrary: given },
    { weight: 1, arbitrary: fc.tuple(given, odd).map(([one, more]) => ({ ...one, ...more })) },
  );
}

function textFor({ pattern, maxLength = 64 }: Schema): fc.Arbitrary<string> {
  const plain = fc.string({ unit: 'grapheme-ascii', maxLength: Math.min(maxLength, 64) });
  return pattern === undefined ? plain : fc.oneof(matching(pattern, plain), plain);
}

/** Some patterns use what the generator cannot make. */
function matching(pattern: string, otherwise: fc.Arbitrary<string>): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    return otherwise;
  }
}
