import type { z } from 'zod';

/** Values after which compiling a schema is worthwhile: it takes as long as parsing some ten of them. */
const SEVERAL = 10;

/** How many values each schema has parsed. */
const parsed = new WeakMap<z.ZodType, number>();

/**
 * Like `schema.safeParse`, but compiles the schema only after several values. A command parses an answer once, a batch
 * or a server thousands of times; Zod itself compiles a parser for every object in the schema at the first value.
 */
export function safeParse<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  const before = parsed.get(schema) ?? 0;
  if (before < SEVERAL) parsed.set(schema, before + 1);
  return schema.safeParse(value, { jitless: before < SEVERAL });
}

/** Like `schema.parse`, otherwise as `safeParse`. @throws z.ZodError */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, error } = safeParse(schema, value);
  if (error) throw error;
  return data as z.output<S>;
}
