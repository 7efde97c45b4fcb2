import { z } from 'zod';
import {
  advice,
  adviceMoment,
  adviceNumber,
  adviceText,
  changesSomething,
  envelopeSchema,
  receivedEnvelopeSchema,
} from './envelope.ts';
import { MAX_NAME_LENGTH, NAME_PATTERN } from './skin-name.ts';

export const VARIANTS = ['classic', 'slim', 'unknown'] as const;
export const VISIBILITIES = ['public', 'unlisted', 'private'] as const;

export const variantSchema = z.enum(VARIANTS);
export const visibilitySchema = z.enum(VISIBILITIES);

/** `unknown` on a request means: detect. A generated skin is classic or slim. */
export type SkinVariant = z.infer<typeof variantSchema>;
/** `public`: in the public list; `unlisted`: for everyone who has its UUID; `private`: only for its owner. */
export type SkinVisibility = z.infer<typeof visibilitySchema>;

/** What a skin's name may contain, as the end of a sentence: "names may contain …". */
export const SKIN_NAME_RULE = `only A–Z, a–z, 0–9, spaces, _ . and -, at most ${MAX_NAME_LENGTH} characters`;

/** A single check, so that a name that breaks two rules gets one message, also where it is part of a union. */
export const skinNameSchema = z
  .string(SKIN_NAME_RULE)
  .regex(NAME_PATTERN, SKIN_NAME_RULE)
  .meta({ maxLength: MAX_NAME_LENGTH });

/** Why the service would refuse a skin's name, likewise; undefined if it is valid. */
export function skinNameProblem(name: string): string | undefined {
  return skinNameSchema.safeParse(name).error?.issues[0]?.message;
}

const textureSchema = z.object({
  data: z.object({
    /** Base64 of the textures document. */
    value: z.string(),
    /** Base64 of the RSA signature over `value`. */
    signature: z.string(),
  }),
  hash: z.object({ skin: z.string(), cape: z.string().optional() }),
  url: z.object({ skin: z.string(), cape: z.string().optional() }),
});

const generatorSchema = z.object({
  version: z.string(),
  /** Milliseconds since the epoch. Whole, as the next: Java clients refuse other numbers. */
  timestamp: z.int(),
  /** Milliseconds. */
  duration: z.int(),
  account: z.string(),
  server: z.string(),
  worker: z.string().optional(),
});

export const skinSchema = z
  .object({
    /** 32 hexadecimal digits, no dashes. */
    uuid: z.string(),
    /** The first eight of them; GET, PATCH and DELETE /v2/skins/{uuid} take it too. */
    shortId: z.string().optional(),
    /** Null: it has none. Clients of the hosted service rely on the field. */
    name: z.string().nullable(),
    visibility: visibilitySchema,
    variant: variantSchema,
    texture: textureSchema,
    generator: generatorSchema,
    tags: z.array(z.object({ tag: z.string() })).optional(),
    views: z.number(),
    /** Number of users who like it. Our addition. */
    likes: z.number().optional(),
    /** Whether the texture data existed before this request. */
    duplicate: z.boolean(),
  })
  .meta({ id: 'Skin' });

export type Skin = z.infer<typeof skinSchema>;

const skinListItemSchema = z
  .object({
    uuid: z.string(),
    shortId: z.string().optional(),
    name: z.string().nullable(),
    visibility: visibilitySchema,
    variant: variantSchema,
    views: z.number(),
    /** Number of users who like it. Our addition. */
    likes: z.number().optional(),
    /** Milliseconds since the epoch: when the record was made. */
    timestamp: z.number().optional(),
    /** Texture hash or URL: services differ, so it is read as it comes. */
    texture: z.unknown().optional(),
  })
  .meta({ id: 'SkinListItem' });

/** A row of a list as this service writes it. */
export type WireSkinListItem = z.infer<typeof skinListItemSchema>;

/** A row of a list as a client reads it: the hosted service sends only name, texture and time of a skin. */
export interface SkinListItem {
  /** 32 hexadecimal digits, no dashes. */
  uuid: string;
  /** Absent: it has none. */
  name?: string | undefined;
  visibility?: SkinVisibility | undefined;
  variant?: SkinVariant | undefined;
  views?: number | undefined;
  likes?: number | undefined;
  /** Hash or address of the texture: services differ, so it is as it came. */
  texture?: unknown;
  /** Milliseconds since the epoch: when it was made or last changed. */
  timestamp?: number | undefined;
}

export const receivedSkinListItemSchema = z.object({
  uuid: z.string(),
  name: adviceText(),
  visibility: advice(visibilitySchema),
  variant: advice(variantSchema),
  views: adviceNumber(),
  likes: adviceNumber(),
  texture: z.unknown().optional(),
  /** When it was last changed, milliseconds since the epoch. */
  timestamp: adviceMoment(),
}) satisfies z.ZodType<SkinListItem>;

/** GET /v2/skins/:uuid/similar: a skin that looks like another one. */
const similarSkinSchema = z
  .object({
    uuid: z.string(),
    /** Absent: it has none. */
    name: z.string().optional(),
    variant: variantSchema,
    /** Hash of its cape; absent: it has none. */
    cape: z.string().optional(),
    /** 0: the same pixels; those of skins that look quite different would be near 1. */
    distance: z.number(),
  })
  .meta({ id: 'SimilarSkin' });
/** A skin that looks like another one. */
export type SimilarSkin = z.infer<typeof similarSkinSchema>;
export const similarSkinsAnswerSchema = envelopeSchema.extend({ skins: z.array(similarSkinSchema) });

export const skinAnswerSchema = envelopeSchema.extend({ skin: skinSchema });
export const receivedSkinListAnswerSchema = receivedEnvelopeSchema.extend({
  skins: z.array(receivedSkinListItemSchema),
  pagination: advice(z.object({ next: advice(z.object({ after: advice(z.string()) })) })),
  total: adviceNumber(),
});
export const skinListAnswerSchema = envelopeSchema.extend({
  skins: z.array(skinListItemSchema),
  /** `after` of this page and of the next one; the last page has no next. */
  pagination: z
    .object({
      current: z.object({ after: z.string().optional() }),
      next: z.object({ after: z.string() }).optional(),
    })
    .optional(),
  /** The requested filter. */
  search: z.string().optional(),
  /** Skins on all pages, only on the first page; absent if there are too many to count. Our addition. */
  total: z.number().optional(),
});

/** 32 hexadecimal digits, with or without dashes, in any case. */
export const uuidSchema = z
  .string()
  .regex(/^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i, 'not a UUID')
  .transform((text) => text.replaceAll('-', '').toLowerCase());

/** Digits of a short id: the first ones of the UUID. */
export const SHORT_ID_LENGTH = 8;

/** A UUID, or its first eight digits. */
export const uuidOrShortIdSchema = z.union(
  [
    uuidSchema,
    z
      .string()
      .regex(/^[0-9a-f]{8}$/i)
      .transform((text) => text.toLowerCase()),
  ],
  'not a UUID',
);

/** Maximum skins of one pack. */
export const MAX_PACKED = 500;

/** GET /v2/skins/pack.zip */
export const skinPackQuerySchema = z.object({
  /** UUIDs of skins, or short ids, with commas between them. */
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(uuidOrShortIdSchema).max(MAX_PACKED, `at most ${MAX_PACKED} skins`)),
  /** Of the textures in the pack. */
  namespace: z
    .string()
    .regex(/^[a-z0-9_.-]{1,32}$/, 'only the characters a-z, 0-9, _, - and .')
    .default('skinsmith'),
  /** Versions of Minecraft, as `1.21.9..26.1`; default: all that are known. */
  game: z.string().max(32).optional(),
});

const AFTER_RULE = 'neither of a page before nor the UUID of a skin';

/** Maximum skins per page. */
export const MAX_SKIN_PAGE = 128;

/** A tag, as on the hosted service. */
export const tagSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z](?:[a-z -]{0,30}[a-z])?$/, 'only a-z, spaces and -, at most 32 characters');

export const skinListQuerySchema = z.object({
  /** Opaque to clients: where the previous page ended. Ours is a number; a skin's UUID is accepted too. */
  after: z
    .union([z.string().regex(/^\d{1,15}(?:\.\d{1,15})?$/, AFTER_RULE), uuidSchema], AFTER_RULE)
    .optional(),
  size: z.coerce.number().int().min(1).max(MAX_SKIN_PAGE).default(16),
  /** Each of its words must occur within a word of the name. */
  filter: z.string().max(64).optional(),
  variant: z.enum(['classic', 'slim']).optional(),
  /** Only skins with this tag. */
  tag: tagSchema.optional(),
  /** Only skins with a cape, or without one. */
  cape: z.enum(['true', 'false']).optional(),
  /** Only skins that the game signed, or that a service signed with its own key. */
  signer: z.enum(['game', 'service']).optional(),
  /** `popular`: the most viewed first; `week`: those most viewed in the last seven days, public ones only. */
  sort: z.enum(['newest', 'popular', 'week']).optional(),
});

/** GET /v2/me/skins. */
export const ownSkinListQuerySchema = skinListQuerySchema.extend({
  visibility: visibilitySchema.optional(),
  sort: z.enum(['newest', 'popular']).optional(),
});

/** Maximum tags of a skin. */
export const MAX_TAGS = 10;

/** Each once, in alphabetical order. */
const tagsSchema = z
  .array(tagSchema)
  .max(MAX_TAGS, `at most ${MAX_TAGS} tags`)
  .transform((tags) => [...new Set(tags)].toSorted());

/** POST /v2/skins/:uuid/tags: adds a tag or takes it away. */
export const tagVoteSchema = z.object({ tag: tagSchema, vote: z.enum(['up', 'down']) });

export const tagsAnswerSchema = envelopeSchema.extend({
  tags: z.array(
    z.object({
      tag: z.string(),
      /** `up` for the owner of the skin, whose tags they are. */
      vote: z.enum(['up', 'down']).nullable(),
      suggested: z.boolean(),
    }),
  ),
});

/** The fields of a skin that can be edited. An empty name, or null, takes the name away. */
const skinEditFields = {
  name: z
    .union([skinNameSchema, z.literal('')], SKIN_NAME_RULE)
    .nullable()
    .optional(),
  visibility: visibilitySchema.optional(),
  /** All of its tags. */
  tags: tagsSchema.optional(),
};

const NOTHING_TO_CHANGE = { error: 'Nothing to change: send a name, a visibility or tags.' };

/** Body of PATCH /v2/skins/:uuid: what to change. */
export const skinEditSchema = z.object(skinEditFields).refine(changesSomething, NOTHING_TO_CHANGE);

/** What to change about a skin: at least one of its name (`''` or null removes it), its visibility and its tags. */
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
  .refine(({ skins: _, ...edit }) => changesSomething(edit), NOTHING_TO_CHANGE);

/** POST /v2/me/skins/delete; `undress`: takes them off the caller's player names, too. */
export const skinsDeleteSchema = z.strictObject({ skins, undress: z.boolean().default(false) });

/** UUIDs of those that are not the caller's skins. */
const missing = z.array(z.string());

export const skinsEditedAnswerSchema = envelopeSchema.extend({ skins: z.array(skinListItemSchema), missing });
export const skinsDeletedAnswerSchema = envelopeSchema.extend({ deleted: z.array(z.string()), missing });

/** The same as a client reads it. */
export const receivedSkinsEditedAnswerSchema = receivedEnvelopeSchema.extend({
  skins: z.array(receivedSkinListItemSchema),
  missing,
});
export const receivedSkinsDeletedAnswerSchema = receivedEnvelopeSchema.extend({
  deleted: z.array(z.string()),
  missing,
});

const receivedTextureSchema = z.object({
  data: textureSchema.shape.data,
  hash: advice(z.object({ skin: advice(z.string()), cape: advice(z.string()) })),
  url: advice(z.object({ skin: advice(z.string()), cape: advice(z.string()) })),
});

const receivedGeneratorSchema = z.object({
  version: advice(z.string()),
  timestamp: adviceMoment(),
  duration: adviceNumber(),
  account: advice(z.string()),
  server: advice(z.string()),
  worker: advice(z.string()),
});

/** A skin that the service has, as a client reads it. */
export interface ReceivedSkin {
  /** 32 hexadecimal digits, no dashes. */
  uuid: string;
  /** Eight digits that the hosted service takes for the UUID. */
  shortId?: string | undefined;
  /** Absent: it has none. */
  name?: string | undefined;
  visibility: SkinVisibility;
  /** The model's arms; `unknown` only if the service says so. */
  variant: SkinVariant;
  texture: {
    /** The skin data: what servers and clients take. */
    data: {
      /** Base64 of the textures document. */
      value: string;
      /** Base64 of the RSA signature over `value`. */
      signature: string;
    };
    /** Names of the textures in their addresses. */
    hash: { skin: string; cape?: string | undefined };
    /** Addresses of the textures, PNG files; see `SkinClient.texture`. */
    url: { skin: string; cape?: string | undefined };
  };
  /** How it was made, as far as the service tells. */
  generator?:
    | {
        version?: string | undefined;
        /** Milliseconds since the epoch: when it was made. */
        timestamp?: number | undefined;
        /** Milliseconds that it took. */
        duration?: number | undefined;
        /** The game account that made it. */
        account?: string | undefined;
        server?: string | undefined;
        worker?: string | undefined;
      }
    | undefined;
  tags?: unknown[] | undefined;
  views: number;
  /** Number of users who like it; absent on services that do not count them. */
  likes?: number | undefined;
  /** Whether the skin data existed before this request. */
  duplicate: boolean;
}

/**
 * A skin as a client reads it. Only its UUID, value and signature are essential: where its texture is and its variant
 * are in the value as well, and a service that sends no visibility has only `public`.
 */
export const receivedSkinSchema = z
  .object({
    uuid: z.string(),
    /** Eight digits that the hosted service takes for the UUID. */
    shortId: advice(z.string()),
    name: adviceText(),
    visibility: advice(visibilitySchema),
    variant: advice(variantSchema),
    texture: receivedTextureSchema,
    generator: advice(receivedGeneratorSchema),
    tags: advice(z.array(z.unknown())),
    views: adviceNumber(),
    likes: adviceNumber(),
    duplicate: advice(z.boolean()),
  })
  .transform(
    ({ uuid, shortId, name, visibility = 'public', variant, texture, views = 0, ...rest }): ReceivedSkin => {
      const { data, url, hash } = texture;
      const { SKIN, CAPE } = texturesIn(data.value);
      const skin = url?.skin ?? SKIN?.url ?? '';
      const cape = url?.cape ?? CAPE?.url;
      const capeHash = hash?.cape ?? (cape === undefined ? undefined : nameIn(cape));
      return {
        uuid,
        ...(shortId !== undefined && { shortId }),
        ...(name !== undefined && { name }),
        visibility,
        variant: variant ?? (SKIN?.metadata?.model === 'slim' ? ('slim' as const) : ('classic' as const)),
        texture: {
          data,
          hash: { skin: hash?.skin ?? nameIn(skin), ...(capeHash !== undefined && { cape: capeHash }) },
          url: { skin, ...(cape !== undefined && { cape }) },
        },
        ...(rest.generator && { generator: rest.generator }),
        ...(rest.tags && { tags: rest.tags }),
        views,
        ...(rest.likes !== undefined && { likes: rest.likes }),
        duplicate: rest.duplicate ?? false,
      };
    },
  );

export const receivedSkinAnswerSchema = receivedEnvelopeSchema.extend({ skin: receivedSkinSchema });

const partSchema = z.object({
  url: advice(z.string()),
  metadata: advice(z.object({ model: advice(z.string()) })),
});
const valueSchema = z.object({ textures: z.object({ SKIN: advice(partSchema), CAPE: advice(partSchema) }) });

/** The textures that a value names; none if it is not a textures document, which its proof reports. */
function texturesIn(value: string): z.output<typeof valueSchema>['textures'] {
  try {
    const json: unknown = JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    return valueSchema.safeParse(json).data?.textures ?? {};
  } catch {
    return {};
  }
}

function nameIn(url: string): string {
  return url.split('/').at(-1) ?? '';
}
