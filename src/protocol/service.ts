import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

const madeSchema = z.object({
  /** Skins newly generated in that time. */
  new: z.int(),
  /** Duplicates: skins that already existed. */
  duplicate: z.int(),
});

const lately = z.object({
  /** The current calendar hour or day in UTC. */
  current: madeSchema,
  /** The previous one. */
  last: madeSchema,
  /** Percentage of the jobs of the last 60 minutes or 24 hours that did not fail; 0 if none ended. */
  successRate: z.number(),
});

/** Statistics of the whole service, over skins of every visibility; at most a minute old. */
const statsSchema = z
  .object({
    generated: z.object({
      time: z.object({
        hour: lately,
        day: lately,
        month: z.object({ current: madeSchema }),
        year: z.object({ current: madeSchema }),
      }),
      total: madeSchema,
    }),
    generator: z.object({
      /** Maximum concurrent generations of the answering process. */
      capacity: z.object({ global: z.int() }),
      /** Jobs in progress. */
      active: z.object({ global: z.int() }),
      /** Milliseconds: the duration of a job, and its wait before that. */
      duration: z.object({ generate: z.int(), pending: z.int() }),
    }),
    /** Linked game accounts. */
    accounts: z.object({
      total: z.object({ global: z.int() }),
      usable: z.object({ global: z.int() }),
    }),
    /** Jobs that failed in the last ten minutes, by error code. */
    upstream: z.object({ errors: z.record(z.string(), z.int()) }),
    /** Milliseconds since the epoch: when these were counted. */
    timestamp: z.int(),
  })
  .meta({ id: 'Stats' });
export type ServiceStats = z.infer<typeof statsSchema>;

export const statsAnswerSchema = envelopeSchema.extend({ stats: statsSchema });

const healthFindingSchema = z
  .object({
    /** Identifies the finding, for programs. */
    code: z.string(),
    result: z.enum(['ok', 'warning', 'problem']),
    /** A sentence for the operator. */
    message: z.string(),
  })
  .meta({ id: 'HealthFinding' });
/** The findings about one part. */
export type HealthFinding = z.infer<typeof healthFindingSchema>;

export function finding(result: HealthFinding['result'], code: string, message: string): HealthFinding {
  return { code, result, message };
}

const findings = z.array(healthFindingSchema);

/** GET /v2/account/doctor: what only the service itself can see of its health. */
export const diagnosisAnswerSchema = envelopeSchema.extend({
  /** Base URL in the textures that the service serves, without a trailing slash. */
  publicUrl: z.string(),
  /** The generator; each kind reports its own findings. */
  generator: z.object({ kind: z.string(), findings }),
  store: z.object({ findings }),
  /** The provider of sign-ins by OpenID Connect; absent if there is none. */
  openId: z.object({ findings }).optional(),
});
/** What a service finds out about its own health. */
export type Diagnosis = Pick<
  z.infer<typeof diagnosisAnswerSchema>,
  'publicUrl' | 'generator' | 'store' | 'openId'
>;
