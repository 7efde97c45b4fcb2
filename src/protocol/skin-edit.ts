import { z } from 'zod';
import { skinNameSchema } from './generate.ts';
import { visibilitySchema } from './skin.ts';

/** Body of PATCH /v2/skins/:uuid: what is to change. An empty name, or null, takes the name away. */
export const skinEditSchema = z
  .object({
    name: z
      .union([skinNameSchema, z.literal('')])
      .nullable()
      .optional(),
    visibility: visibilitySchema.optional(),
  })
  .refine(({ name, visibility }) => name !== undefined || visibility !== undefined, {
    error: 'Nothing is to change: send a name or a visibility.',
  });

export type SkinEdit = z.infer<typeof skinEditSchema>;
