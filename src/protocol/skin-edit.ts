import { z } from 'zod';
import { NAME_RULE, skinNameSchema } from './generate.ts';
import { visibilitySchema } from './skin.ts';

/** The fields of a skin that can be edited. An empty name, or null, takes the name away. */
export const skinEditFields = {
  name: z
    .union([skinNameSchema, z.literal('')], NAME_RULE)
    .nullable()
    .optional(),
  visibility: visibilitySchema.optional(),
};

/** Body of PATCH /v2/skins/:uuid: what is to change. */
export const skinEditSchema = z
  .object(skinEditFields)
  .refine(({ name, visibility }) => name !== undefined || visibility !== undefined, {
    error: 'Nothing to change: send a name or a visibility.',
  });

/** What to change about a skin: at least one of its name (`''` or null removes it) and its visibility. */
export type SkinEdit = z.infer<typeof skinEditSchema>;
