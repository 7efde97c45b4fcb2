import { z } from 'zod';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { MAX_URL_LENGTH } from '../../../protocol/generate.ts';
import { textureNameSchema } from '../../../protocol/moderation.ts';
import { type SkinVisibility, uuidSchema } from '../../../protocol/skin.ts';
import { v1ErrorAnswerSchema, v1SkinIdSchema } from '../../../protocol/v1.ts';
import { type AnyView, MAX_SIZE, MIN_SIZE, VIEWS, type View } from '../../../skin/render/views.ts';
import {
  inputFor,
  inputOfSkin,
  type RenderChoice,
  type RenderInput,
  skinInput,
  storedTexture,
  textureAt,
  textureInput,
} from '../../pictures/renders.ts';
import { Refusal } from '../../service/refusal.ts';
import { readSkin, readSkinByNumber } from '../../service/skins/skins.ts';
import { findByGameName } from '../../service/sources/url.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { findServedTexture } from '../../store/textures.ts';
import { versionHeader } from '../described-answers.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';

type HeaderFields = Readonly<Record<string, string>>;

/** For answers that pages of any site may show: a picture or a redirect to one. */
export const CROSS_ORIGIN: HeaderFields = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** The picture of a default skin for pages to show while a player's own must wait; `texture`: the skin file. */
export function standInFor(view: AnyView | 'texture'): NonNullable<Route['standIn']> {
  return async ({ playerLooks, renders }) => {
    const skin = playerLooks.defaultSkin('steve');
    return view === 'texture' ? skin.texture.png : await renders.standIn(skin.texture, skin.variant, view);
  };
}

/** Not cached, and not shown on other sites. */
export const PRIVATE_ANSWER: HeaderFields = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** A PNG with an entity tag that changes with its pixels. Pages anywhere may show it. */
export function pngAnswer(
  { request }: Pick<Call, 'request'>,
  { name, png }: { readonly name: string; readonly png: Uint8Array },
  headers: HeaderFields,
): Answer {
  const tagged = tag(name, headers);
  if (request.headers['if-none-match'] === tagged.ETag)
    return { status: 304, body: undefined, headers: tagged };
  return { status: 200, body: bytesOf(png), headers: { ...tagged, 'Content-Type': 'image/png' } };
}

/** A picture, drawn unless the caller already has it. @throws Refusal `rate_limit`, `service_unavailable` */
export async function renderAnswer(
  call: Pick<Call, 'request' | 'context' | 'caller'>,
  input: RenderInput,
  headers: HeaderFields,
): Promise<Answer> {
  const { context, caller, request } = call;
  const name = context.renders.nameOf(input);
  const tagged = tag(name, headers);
  if (request.headers['if-none-match'] === tagged.ETag)
    return { status: 304, body: undefined, headers: tagged };
  const { bytes } = await context.renders.render(input, caller, name);
  return { status: 200, body: bytesOf(bytes), headers: { ...tagged, 'Content-Type': 'image/png' } };
}

/** A view of the same bytes, which nothing changes. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function tag(name: string, headers: HeaderFields) {
  return { ...CROSS_ORIGIN, ...headers, ETag: `"${name}"` };
}

const DEFAULT_SIZE = 256;
/** Seconds. The pixels of a hash never change, and the tag of a picture includes the renderer's version. */
const CACHE_AGE = 30 * 24 * 3600;
/** For textures by their hash. */
export const IMMUTABLE = { 'Cache-Control': `public, max-age=${CACHE_AGE}, immutable` };

/** Pages add parameters to bypass caches, so unknown ones are ignored. */
const query = z.object({
  size: z.coerce.number().int().min(MIN_SIZE).max(MAX_SIZE).default(DEFAULT_SIZE),
  overlay: z
    .enum(['true', 'false', '1', '0'])
    .default('true')
    .transform((text) => text === 'true' || text === '1'),
});
const textureQuery = query.extend({ variant: z.enum(['auto', 'classic', 'slim']).default('auto') });
const answers = { 200: 'image/png', 404: errorAnswerSchema } as const;

/** Search engines show nothing that is only for those who have its address. */
export function headersFor(visibility: SkinVisibility): HeaderFields {
  if (visibility === 'private') return PRIVATE_ANSWER;
  return visibility === 'unlisted' ? UNLISTED : {};
}

export const UNLISTED: HeaderFields = { 'X-Robots-Tag': 'noindex' };

export const SKIN_VIEW_ROUTES: readonly Route[] = VIEWS.map(skinViewRoute);

function skinViewRoute(view: View): Route {
  return route(`GET /v2/skins/:uuid/${view}.png`, {
    summary: `A picture of a skin: ${view}`,
    params: z.object({ uuid: uuidSchema }),
    query,
    answers,
    cache: 'public',
    handle: async (call) => {
      const { context, caller, params } = call;
      const { input, visibility } = await skinInput(context, caller, params.uuid, { view, ...call.query });
      return await renderAnswer(call, input, headersFor(visibility));
    },
  });
}

function textureViewRoute(view: View): Route {
  return route(`GET /textures/:hash/${view}.png`, {
    summary: `A picture of a texture: ${view}`,
    params: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/, 'not a texture hash') }),
    query: textureQuery,
    answers,
    authenticated: false,
    handle: async (call) => {
      const input = await textureInput(call.context, call.params.hash, { view, ...call.query });
      return await renderAnswer(call, input, IMMUTABLE);
    },
  });
}

export const TEXTURE_ROUTES: readonly Route[] = [
  route('GET /textures/:hash', {
    alsoAt: ['/v2/images/:hash'],
    summary: 'A texture by its hash, as Minecraft fetches it',
    params: z.object({ hash: textureNameSchema }),
    answers: { 200: 'image/png', 404: errorAnswerSchema },
    authenticated: false,
    handle: async (call) => {
      const { context, params } = call;
      const { hash } = params;
      const texture = (await findServedTexture(context.db, hash)) ?? (await findByGameName(context, hash));
      if (!texture) throw new Refusal('not_found', 'Texture not found.');
      return pngAnswer(call, { name: hash, png: texture.png }, IMMUTABLE);
    },
  }),
  ...VIEWS.map(textureViewRoute),
];

/* The pictures of version 1, whose addresses web pages contain. */

/** The view of each kind of picture. */
const V1_VIEWS = { head: 'head', skin: 'body' } as const satisfies Record<string, View>;
type V1Kind = keyof typeof V1_VIEWS;

/** Heights of pictures in pixels. */
const V1_SIZE = 256;

/** Version 1 has no parameters for this: `options` were those of another service. */
function v1ChoiceOf(kind: V1Kind): RenderChoice {
  return { view: V1_VIEWS[kind], size: V1_SIZE, overlay: true };
}

const v1Params = z.object({ id: v1SkinIdSchema });
const v1Answers = { 200: 'image/png', 404: v1ErrorAnswerSchema } as const;
const V1_HEADERS = versionHeader('v1');

function urlRenderRoute(kind: V1Kind): Route {
  return route(`GET /render/${kind}`, {
    summary: `A picture of a texture of Minecraft or of this service, by its URL: ${kind} (version 1)`,
    deprecated: true,
    query: z.object({ url: z.string('the URL of a texture').max(MAX_URL_LENGTH) }),
    answers: { ...v1Answers, 429: 'image/png', 503: 'image/png' },
    standIn: standInFor(V1_VIEWS[kind]),
    authenticated: false,
    handle: async (call) => {
      const texture = await textureAt(call.context, call.query.url, call.caller);
      const input = inputFor(texture, { ...v1ChoiceOf(kind), variant: 'auto' });
      return await renderAnswer(call, input, { ...V1_HEADERS, ...IMMUTABLE });
    },
  });
}

type V1SkinCall = Call<z.output<typeof v1Params>>;

function skinRenderRoute(kind: V1Kind): Route {
  return route(`GET /render/:id/${kind}`, {
    summary: `A picture of a skin by its number or UUID: ${kind} (version 1)`,
    deprecated: true,
    params: v1Params,
    answers: v1Answers,
    cache: 'public',
    handle: async (call) => {
      const skin = await shownSkin(call);
      const input = await inputOfSkin(call.context, skin, v1ChoiceOf(kind));
      return await renderAnswer(call, input, v1HeadersFor(call, skin));
    },
  });
}

const v1TextureRoute = route('GET /render/texture/:id', {
  summary: 'The texture of a skin by its number or UUID (version 1)',
  deprecated: true,
  params: v1Params,
  answers: v1Answers,
  cache: 'public',
  handle: async (call) => {
    const skin = await shownSkin(call);
    const { hash, png } = await storedTexture(call.context, skin.texture_hash);
    return pngAnswer(call, { name: hash, png }, v1HeadersFor(call, skin));
  },
});

/** Not even the owner gets pictures of private skins here, because caches keep them. @throws Refusal `skin_not_found` */
async function shownSkin({ context, caller, ...call }: V1SkinCall): Promise<SkinWithData> {
  const { id } = call.params;
  const isNumber = typeof id === 'number';
  const skin = isNumber ? await readSkinByNumber(context, caller, id) : await readSkin(context, caller, id);
  if (skin.visibility === 'private') throw new Refusal('skin_not_found');
  return skin;
}

/** Only its owner gets an unlisted skin by its number; otherwise, anyone could find it by counting. */
function v1HeadersFor({ params: { id } }: V1SkinCall, { visibility }: SkinWithData): HeaderFields {
  return typeof id === 'number' && visibility === 'unlisted'
    ? { ...V1_HEADERS, ...PRIVATE_ANSWER }
    : V1_HEADERS;
}

export const RENDER_ROUTES: readonly Route[] = [
  urlRenderRoute('head'),
  urlRenderRoute('skin'),
  skinRenderRoute('head'),
  skinRenderRoute('skin'),
  v1TextureRoute,
];
