import { z } from 'zod';
import { envelopeSchema, seenEnvelopeSchema } from './envelope.ts';
import { SKIN_NAME_RULE, skinNameSchema } from './generate.ts';
import { seenSkinListItemSchema, skinListItemSchema, uuidSchema, visibilitySchema } from './skin.ts';

/** The fields of a skin that can be edited. An empty name, or null, takes the name away. */
export const skinEditFields = {
  name: z
    .union([skinNameSchema, z.literal('')], SKIN_NAME_RULE)
    .nullable()
    .optional(),
  visibility: visibilitySchema.optional(),
};

/** Body of PATCH /v2/skins/:uuid: what to change. */
export const skinEditSchema = z
  .object(skinEditFields)
  .refine(({ name, visibility }) => name !== undefined || visibility !== undefined, {
    error: 'Nothing to change: send a name or a visibility.',
  });

/** What to change about a skin: at least one of its name (`''` or null removes it) and its visibility. */
export type SkinEdit = z.infer<typeof skinEditSchema>;

/** Maximum skins that one request changes. */
export const MAX_BULK = 128;

const skins = z
  .array(uuidSchema)
  .min(1, 'at least one skin')
  .max(MAX_BULK, `at most ${MAX_BULK} skins`)
  .transform((uuids) => [...new Set(uuids)]);

/** PATCH /v2/me/skins: the same change for several skins. */
export const skinsEditSchema = z
  .strictObject({ skins, ...skinEditFields })
  .refine(({ name, visibility }) => name !== undefined || visibility !== undefined, {
    error: 'Nothing to change: send a name or a visibility.',
  });

/** POST /v2/me/skins/delete */
export const skinsDeleteSchema = z.strictObject({ skins });

/** UUIDs of those that are not the caller's skins. */
const missing = z.array(z.string());

export const skinsEditedAnswerSchema = envelopeSchema.extend({ skins: z.array(skinListItemSchema), missing });
export const skinsDeletedAnswerSchema = envelopeSchema.extend({ deleted: z.array(z.string()), missing });

/** The same as a client reads it. */
export const seenSkinsEditedAnswerSchema = seenEnvelopeSchema.extend({
  skins: z.array(seenSkinListItemSchema),
  missing,
});
export const seenSkinsDeletedAnswerSchema = seenEnvelopeSchema.extend({
  deleted: z.array(z.string()),
  missing,
});
