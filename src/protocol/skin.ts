import { z } from 'zod';
import { envelopeSchema, seenEnvelopeSchema } from './envelope.ts';

export const VARIANTS = ['classic', 'slim', 'unknown'] as const;
export const VISIBILITIES = ['public', 'unlisted', 'private'] as const;

export const variantSchema = z.enum(VARIANTS);
export const visibilitySchema = z.enum(VISIBILITIES);

/** `unknown` on a request means: detect. A generated skin is classic or slim. */
export type SkinVariant = z.infer<typeof variantSchema>;
export type SkinVisibility = z.infer<typeof visibilitySchema>;

const texture = z.object({
  data: z.object({
    /** Base64 of the textures document. */
    value: z.string(),
    /** Base64 of the RSA signature over `value`. */
    signature: z.string(),
  }),
  hash: z.object({ skin: z.string(), cape: z.string().optional() }),
  url: z.object({ skin: z.string(), cape: z.string().optional() }),
});

const generator = z.object({
  version: z.string(),
  /** Milliseconds since the epoch. */
  timestamp: z.number(),
  /** Milliseconds. */
  duration: z.number(),
  account: z.string(),
  server: z.string(),
  worker: z.string().optional(),
});

export const skinSchema = z
  .object({
    /** 32 hexadecimal digits, no dashes. */
    uuid: z.string(),
    name: z.string().optional(),
    visibility: visibilitySchema,
    variant: variantSchema,
    texture,
    generator,
    tags: z.array(z.unknown()).optional(),
    views: z.number(),
    /** Whether the texture data existed before this request. */
    duplicate: z.boolean(),
  })
  .meta({ id: 'Skin' });

export type Skin = z.infer<typeof skinSchema>;

export const skinListItemSchema = z
  .object({
    uuid: z.string(),
    name: z.string().optional(),
    visibility: visibilitySchema,
    variant: variantSchema,
    views: z.number(),
    /** Texture hash or URL: services differ, so it is read as it comes. */
    texture: z.unknown().optional(),
  })
  .meta({ id: 'SkinListItem' });

export type SkinListItem = z.infer<typeof skinListItemSchema>;

/** A skin as a client reads it: `null` is as good as absent, and of the generator nothing is needed. */
export const seenSkinSchema = skinSchema.extend({
  name: z.preprocess((name) => name ?? undefined, z.string().optional()).optional(),
  generator: generator.partial().catch({}).optional(),
  tags: z.array(z.unknown()).catch([]).optional(),
  views: z.number().catch(0),
  duplicate: z.boolean().catch(false),
});

/** Visibility, variant, value, signature and texture of a skin that the service has. */
export type SeenSkin = z.infer<typeof seenSkinSchema>;

export const skinAnswerSchema = envelopeSchema.extend({ skin: skinSchema });
export const seenSkinAnswerSchema = seenEnvelopeSchema.extend({ skin: seenSkinSchema });
export const seenSkinListAnswerSchema = seenEnvelopeSchema.extend({
  skins: z.array(skinListItemSchema.extend({ name: seenSkinSchema.shape.name })),
});
export const skinListAnswerSchema = envelopeSchema.extend({
  skins: z.array(skinListItemSchema),
  /** The filter that was asked for. */
  search: z.string().optional(),
});

/** 32 hexadecimal digits, with or without dashes, in any case. */
export const uuidSchema = z
  .string()
  .regex(/^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i, 'not a UUID')
  .transform((text) => text.replaceAll('-', '').toLowerCase());

export const skinListQuerySchema = z.object({
  /** Opaque to clients: where the page before ended. Ours is a number; a UUID of a skin is taken too. */
  after: z
    .union([z.string().regex(/^\d{1,15}$/), uuidSchema], 'neither of a page before nor the UUID of a skin')
    .optional(),
  size: z.coerce.number().int().min(1).max(128).default(16),
  /** Every word of it must be the beginning of a word of the name. */
  filter: z.string().max(64).optional(),
});
