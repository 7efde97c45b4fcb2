import { z } from 'zod';

/**
 * Fields that help but are not essential. Services omit them, send null or another type, so a client reads what
 * is valid and treats the rest as absent: bad metadata must not cost the result.
 */

/** The expected form of each such field, for `oddities`. */
const expected = new WeakMap<object, z.ZodType>();

/** A field that counts as absent when it is invalid. */
export function advice<S extends z.ZodType>(schema: S) {
  const field = schema.optional().catch(undefined);
  expected.set(field, schema);
  return field;
}

/** A number, or a text that is one. */
export function adviceNumber() {
  return readAdvice(z.number(), (value) => numberIn(value));
}

/** A limit: 0 or less counts as absent. */
export function adviceLimit() {
  return readAdvice(z.number(), (value) => {
    const limit = numberIn(value);
    return limit !== undefined && limit > 0 ? limit : undefined;
  });
}

/** Distinguishes the units: seconds stay below this for ages, and milliseconds have been above it since 1973. */
const LEAST_MILLISECONDS = 1e11;
const LEAST_SECONDS = 1e9;

/** Milliseconds since the epoch; also accepts seconds and ISO 8601. */
export function adviceMoment() {
  return readAdvice(z.number().min(LEAST_MILLISECONDS), (value) => {
    const number = numberIn(value);
    if (number === undefined) return typeof value === 'string' ? momentIn(value) : undefined;
    return number >= LEAST_SECONDS && number < LEAST_MILLISECONDS ? number * 1000 : number;
  });
}

function readAdvice<T>(schema: z.ZodType<T>, read: (value: unknown) => T | undefined) {
  const field = z
    .unknown()
    .transform((value) => read(value))
    .optional();
  expected.set(field, schema);
  return field;
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function momentIn(text: string): number | undefined {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}

const MOST_ODDITIES = 5;

/**
 * The invalid fields of an answer, as `job.eta: …`, at most five; absent fields do not count. The schema is the
 * one that the answer was read with.
 */
export function oddities(schema: z.ZodType, json: unknown): string[] {
  return [...oddFields(schema, json, '')].slice(0, MOST_ODDITIES);
}

function* oddFields(schema: z.ZodType, json: unknown, path: string): Generator<string, void, void> {
  if (json === undefined) return;
  const wanted = expected.get(schema);
  const { error } = wanted?.safeParse(json) ?? {};
  const [issue] = error?.issues ?? [];
  if (issue) yield `${[path, ...issue.path].filter((step) => step !== '').join('.')}: ${issue.message}`;
  else yield* oddInside(wanted ?? schema, json, path);
}

function* oddInside(schema: z.ZodType, json: unknown, path: string): Generator<string, void, void> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodCatch)
    yield* oddFields(schema.unwrap() as z.ZodType, json, path);
  else if (schema instanceof z.ZodPipe) yield* oddFields(schema.in as z.ZodType, json, path);
  else if (schema instanceof z.ZodArray && Array.isArray(json)) {
    for (const [n, entry] of json.entries())
      yield* oddFields(schema.element as z.ZodType, entry, join(path, `${n}`));
  } else if (schema instanceof z.ZodObject && typeof json === 'object' && json !== null) {
    for (const [name, field] of Object.entries(schema.shape))
      yield* oddFields(field as z.ZodType, (json as Record<string, unknown>)[name], join(path, name));
  }
}

function join(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`;
}
