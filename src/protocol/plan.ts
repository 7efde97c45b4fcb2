import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

/** What callers of a plan may have: as /v2/me grants it, and as a file of plans has it. */
export const planLimitsSchema = z.object({
  /** Unfinished jobs in the queue at one time. Our addition. */
  queue: z.number(),
  /** New generations in any minute and in any hour. */
  per_minute: z.number(),
  per_hour: z.number(),
  /** Seconds between generations of version 1. */
  delay: z.number(),
  /** Jobs processed at the same time, while others wait too. */
  concurrency: z.number(),
  /** The same of capacity that would be idle otherwise. Our addition; older versions do not tell it. */
  burst: z.number().optional(),
  /** Share of the service while others want it too. */
  priority: z.number(),
  ad_free: z.boolean(),
  private_skins: z.boolean(),
  early_access: z.boolean(),
  batch_generation: z.boolean(),
  capes: z.boolean(),
});
export type PlanLimits = z.infer<typeof planLimitsSchema>;

export const planSchema = planLimitsSchema.extend({ name: z.string() }).meta({ id: 'Plan' });
export type PlanView = z.infer<typeof planSchema>;

/** GET /v2/account/plans */
export const planListAnswerSchema = envelopeSchema.extend({ plans: z.array(planSchema) });

export const planNameSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, 'only a–z, 0–9, _ and -, at most 32 characters');

const whole = (least: number, most: number) => z.int().min(least).max(most);

/**
 * A file of plans: those it names take the place of the built-in ones, or join them. What it leaves out of a
 * plan is as before, and in a new one as in `free`.
 */
export const planFileSchema = z.record(
  planNameSchema,
  z
    .strictObject({
      queue: whole(1, 10_000),
      per_minute: whole(1, 1_000_000),
      per_hour: whole(1, 10_000_000),
      delay: z.number().min(0).max(3_600),
      concurrency: whole(1, 1_000),
      burst: whole(1, 10_000),
      priority: whole(1, 1_000),
      ad_free: z.boolean(),
      private_skins: z.boolean(),
      early_access: z.boolean(),
      batch_generation: z.boolean(),
      capes: z.boolean(),
    })
    .partial(),
);
