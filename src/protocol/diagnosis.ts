import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

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

const findings = z.array(healthFindingSchema);

/** GET /v2/account/doctor: what only the service itself can see of its health. */
export const diagnosisAnswerSchema = envelopeSchema.extend({
  /** Base URL in the textures that the service serves, without a trailing slash. */
  publicUrl: z.string(),
  /** The generator; each kind reports its own findings. */
  generator: z.object({ kind: z.string(), findings }),
  store: z.object({ findings }),
});
/** What a service finds out about its own health. */
export type Diagnosis = Pick<z.infer<typeof diagnosisAnswerSchema>, 'publicUrl' | 'generator' | 'store'>;
