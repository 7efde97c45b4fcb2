import { z } from 'zod';
import { advice, adviceMoment, adviceNumber, adviceText, receivedEnvelopeSchema } from './envelope.ts';
import {
  type SkinVariant,
  type SkinVisibility,
  textureSchema,
  variantSchema,
  visibilitySchema,
} from './skin.ts';

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
