import { z } from 'zod';
import { escapeHtml } from '../../../html/html.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import { CARD, MIN_SIZE, widthOf } from '../../../skin/render/views.ts';
import { type ServiceContext, USUAL_NAME } from '../../context.ts';
import { cardInput } from '../../pictures/renders.ts';
import type { Caller } from '../../service/callers.ts';
import { ownPath } from '../../service/own-addresses.ts';
import { Refusal } from '../../service/refusal.ts';
import { readSkin } from '../../service/skins/skins.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { type Route, route } from '../route.ts';
import { headersFor, renderAnswer } from './pictures.ts';

/** Pixels of the frame in which other sites show a skin: the figure, its name and the service's. */
export const EMBED = { width: 320, height: 460 } as const;

/**
 * A skin that links may show to everyone. For those, private skins do not exist, not even for their owner: what a chat
 * fetches for its users is not only for the person who posted the link.
 * @throws Refusal `skin_not_found`
 */
export async function readShownSkin(
  context: Pick<ServiceContext, 'db'>,
  caller: Caller,
  uuid: string,
): Promise<SkinWithData> {
  const skin = await readSkin(context, caller, uuid);
  if (skin.visibility === 'private') throw new Refusal('skin_not_found');
  return skin;
}

/** What a skin is called where it needs a name. */
export function titleOf({ name, uuid }: Pick<SkinWithData, 'name' | 'uuid'>): string {
  return name ?? `Skin ${uuid.slice(0, 8)}`;
}

/** What tells this service from others: the name that its operator gave it, or its address. */
export function serviceNameOf({ site, publicUrl }: Pick<ServiceContext, 'site' | 'publicUrl'>): string {
  return site.name === USUAL_NAME ? new URL(publicUrl()).host : site.name;
}

const params = z.object({ uuid: uuidSchema });

/** The answer of oEmbed, version 1.0: https://oembed.com */
const oEmbedSchema = z.object({
  version: z.literal('1.0'),
  type: z.literal('rich'),
  title: z.string(),
  provider_name: z.string(),
  provider_url: z.string(),
  /** Seconds. */
  cache_age: z.number(),
  thumbnail_url: z.string(),
  thumbnail_width: z.number(),
  thumbnail_height: z.number(),
  html: z.string(),
  width: z.number(),
  height: z.number(),
});

/** Larger bounds count as this one. */
const LARGEST = 4_096;
const bound = z.coerce
  .number()
  .int()
  .min(1)
  .transform((pixels) => Math.min(pixels, LARGEST))
  .default(LARGEST);

export const CARD_ROUTES: readonly Route[] = [
  route('GET /v2/skins/:uuid/card.png', {
    summary: 'The link-preview picture of a skin',
    params,
    answers: { 200: 'image/png', 404: errorAnswerSchema },
    cache: 'public',
    handle: async (call) => {
      const { context, caller, params } = call;
      const skin = await readShownSkin(context, caller, params.uuid);
      return await renderAnswer(call, await cardInput(context, skin), headersFor(skin.visibility));
    },
  }),
  route('GET /v2/oembed', {
    summary: 'How to show the page of a skin in another page (oEmbed)',
    query: z.object({
      url: z.string().max(2_048),
      maxwidth: bound,
      maxheight: bound,
      format: z.string().max(16).default('json'),
    }),
    answers: { 200: oEmbedSchema, 501: errorAnswerSchema, 404: errorAnswerSchema },
    cache: 'public',
    handle: async ({ context, caller, query }) => {
      if (query.format !== 'json')
        throw new Refusal('invalid_request', {
          status: 501,
          message: 'Only the format "json" is supported.',
        });
      const uuid = uuidAt(context, query.url);
      if (uuid === undefined)
        throw new Refusal('not_found', 'The URL is not the page of a skin of this service.');
      const skin = await readShownSkin(context, caller, uuid);
      return {
        status: 200,
        body: oEmbedOf(context, skin, query),
        headers: headersFor(skin.visibility),
      };
    },
  }),
];

/** The UUID in the address of a skin's page, or of its frame. */
function uuidAt(context: Pick<ServiceContext, 'ownAddresses'>, text: string): string | undefined {
  const url = URL.parse(text);
  const path = url ? ownPath(context, url) : undefined;
  const [, uuid] = /^\/(?:ui\/skins|embed)\/([^/]+)\/?$/.exec(path ?? '') ?? [];
  return uuidSchema.safeParse(uuid).data;
}

interface Bounds {
  readonly maxwidth: number;
  readonly maxheight: number;
}

function oEmbedOf(
  context: Pick<ServiceContext, 'site' | 'publicUrl'>,
  skin: SkinWithData,
  bounds: Bounds,
): z.infer<typeof oEmbedSchema> {
  const origin = context.publicUrl();
  const { uuid } = skin;
  const width = Math.min(EMBED.width, bounds.maxwidth);
  const height = Math.min(EMBED.height, bounds.maxheight);
  const title = titleOf(skin);
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: serviceNameOf(context),
    provider_url: `${origin}/`,
    cache_age: 3_600,
    ...thumbnail(`${origin}/v2/skins/${uuid}`, bounds),
    html: embedCode({ src: `${origin}/embed/${uuid}`, title, width, height }),
    width,
    height,
  };
}

/** The card; where it does not fit, the figure alone. */
function thumbnail(address: string, { maxwidth, maxheight }: Bounds) {
  if (maxwidth >= CARD.width && maxheight >= CARD.height)
    return {
      thumbnail_url: `${address}/card.png`,
      thumbnail_width: CARD.width,
      thumbnail_height: CARD.height,
    };
  const size = Math.max(MIN_SIZE, Math.min(maxheight, 2 * maxwidth, MAX_THUMBNAIL));
  return {
    thumbnail_url: `${address}/isometric.png?size=${size}`,
    thumbnail_width: widthOf('isometric', size),
    thumbnail_height: size,
  };
}

const MAX_THUMBNAIL = 512;

interface Frame {
  readonly src: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

/** The element that shows a skin on another site. */
export function embedCode({ src, title, width, height }: Frame): string {
  const address = escapeHtml(src);
  return `<iframe src="${address}" width="${width}" height="${height}" title="${escapeHtml(title)}" style="border:0" loading="lazy"></iframe>`;
}
