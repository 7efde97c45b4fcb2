import type { z } from 'zod';

/** Values that a schema parses before it is worth compiling: that takes as long as some ten of them. */
const SEVERAL = 10;

/** How many values each schema has parsed. */
const parsed = new WeakMap<z.ZodType, number>();

/**
 * Like `schema.safeParse`, for what a command does once and a batch or a server thousands of times. Zod would compile a
 * parser for every object in the schema when it meets the first value.
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
