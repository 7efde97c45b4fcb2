import { z } from 'zod';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import { REQUEST_KINDS } from '../../../src/double/requests.ts';

const rateRuleSchema = z.strictObject({
  limit: z.int().positive(),
  window: z.number().positive().optional(),
  perHour: z.int().positive().optional(),
});

const alterationSchema = z.partialRecord(z.enum(REQUEST_KINDS), z.unknown());

const flagsSchema = z.strictObject({
  blockPerMinute: z.boolean().optional(),
  blockConcurrency: z.boolean().optional(),
  blockGeneration: z.union([z.boolean(), z.string()]).optional(),
});

/** The options that can be written as JSON. */
const optionsSchema = z.strictObject({
  key: z.string().min(64).optional(),
  serviceTime: z.union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)]).optional(),
  workers: z.int().min(0).max(1000).optional(),
  limit: z.int().min(0).optional(),
  slack: z.int().min(0).optional(),
  rate: rateRuleSchema.optional(),
  spread: z.boolean().optional(),
  delay: z.number().nonnegative().optional(),
  concurrency: z.int().min(0).optional(),
  flags: flagsSchema.optional(),
  eta: z.union([z.literal(false), z.number()]).optional(),
  known: z.enum(['made', 'nothing', 'everything']).optional(),
  lookGap: z.number().nonnegative().optional(),
  patience: z.number().nonnegative().optional(),
  grants: z.record(z.string(), z.unknown()).optional(),
  latency: z.number().nonnegative().optional(),
  clockOffset: z.number().optional(),
  alter: alterationSchema.optional(),
});

/** @throws Error that says which option is wrong */
export function parseOptions(json: string): HostedOptions {
  const parsed = optionsSchema.safeParse(JSON.parse(json));
  if (parsed.success)
    return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  throw new Error(`These options cannot be used: ${z.prettifyError(parsed.error)}`);
}
