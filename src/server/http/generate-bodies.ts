import { z } from 'zod';
import { generateOptionsSchema } from '../../protocol/generate.ts';
import { variantSchema } from '../../protocol/skin.ts';

const options = generateOptionsSchema.extend({ variant: variantSchema.optional() });
const file = z
  .string()
  .meta({ format: 'binary', description: 'PNG of 64×64 or 64×32 pixels, at most 20,000 bytes' });

/** How a generation may be sent, for /openapi.json. */
export const generateBodies = {
  'multipart/form-data': z.union([options.extend({ file }), options.extend({ url: z.string() })]),
  'application/json': z.union([options.extend({ url: z.string() }), options.extend({ user: z.string() })]),
};
