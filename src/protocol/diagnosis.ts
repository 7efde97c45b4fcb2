import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

const healthFindingSchema = z
  .object({
    /** Names what was found, for programs. */
    code: z.string(),
    result: z.enum(['ok', 'warning', 'problem']),
    /** A sentence for the operator. */
    message: z.string(),
  })
  .meta({ id: 'HealthFinding' });
/** What was found where something was looked at. */
export type HealthFinding = z.infer<typeof healthFindingSchema>;

const findings = z.array(healthFindingSchema);

/** GET /v2/account/doctor: what only the service itself can see of its health. */
export const diagnosisAnswerSchema = envelopeSchema.extend({
  /** Address that goes into the textures that the service itself serves, no slash at its end. */
  publicUrl: z.string(),
  /** Who makes the skins; each kind says what it has to say. */
  generator: z.object({ kind: z.string(), findings }),
  store: z.object({ findings }),
});
export type Diagnosis = Pick<z.infer<typeof diagnosisAnswerSchema>, 'publicUrl' | 'generator' | 'store'>;
