import { z } from 'zod';
import { generateOptionsSchema, idempotencyKeySchema } from '../../protocol/generate.ts';
import { variantSchema } from '../../protocol/skin.ts';

const options = generateOptionsSchema.extend({ variant: variantSchema.optional() });
export const pngFile = z
  .string()
  .meta({ format: 'binary', description: 'PNG of 64×64 or 64×32 pixels, at most 20,000 bytes' });

/** Names in lower case, as in Node. */
export const generateHeaders = z.object({
  'idempotency-key': idempotencyKeySchema
    .optional()
    .meta({ description: 'Sent again with the same key, a request gets the job of the first time' }),
});

/** The accepted bodies of a generation, for /openapi.json. */
export const generateBodies = {
  'multipart/form-data': z.union([options.extend({ file: pngFile }), options.extend({ url: z.string() })]),
  'application/json': z.union([options.extend({ url: z.string() }), options.extend({ user: z.string() })]),
};
