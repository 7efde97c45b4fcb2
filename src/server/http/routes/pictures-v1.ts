import { z } from 'zod';
import { MAX_URL_LENGTH } from '../../../protocol/generate.ts';
import { v1ErrorAnswerSchema, v1SkinIdSchema } from '../../../protocol/v1.ts';
import type { View } from '../../../skin/render/render.ts';
import {
  inputFor,
  inputOfSkin,
  type RenderChoice,
  storedTexture,
  textureAt,
} from '../../pictures/texture-renders.ts';
import { Refusal } from '../../service/refusal.ts';
import { readSkin, readSkinByNumber } from '../../service/skins/skins.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { versionHeader } from '../described-answers.ts';
import { type Call, type Route, route } from '../route.ts';
import { PRIVATE_ANSWER, pngAnswer, renderAnswer, standInFor } from './pictures.ts';

/** The pictures of version 1, whose addresses web pages contain. */

/** The view of each kind of picture. */
const VIEWS = { head: 'head', skin: 'body' } as const satisfies Record<string, View>;
type Kind = keyof typeof VIEWS;

/** Heights of pictures in pixels. */
const SIZE = 256;

/** Version 1 has no parameters for this: `options` were those of another service. */
function choiceOf(kind: Kind): RenderChoice {
  return { view: VIEWS[kind], size: SIZE, overlay: true };
}

/** Seconds. The pixels at these addresses never change. */
const CACHE_AGE = 30 * 24 * 3600;

const params = z.object({ id: v1SkinIdSchema });
const answers = { 200: 'image/png', 400: v1ErrorAnswerSchema, 404: v1ErrorAnswerSchema } as const;
const HEADERS = versionHeader('v1');

function urlRenderRoute(kind: Kind): Route {
  return route({
    method: 'GET',
    paths: [`/render/${kind}`],
    summary: `A picture of a texture of the game or of this service, by its URL: ${kind} (version 1)`,
    deprecated: true,
    query: z.object({ url: z.string('the URL of a texture').max(MAX_URL_LENGTH) }),
    answers: { ...answers, 429: 'image/png', 503: 'image/png' },
    standIn: standInFor(VIEWS[kind]),
    authenticated: false,
    handle: async (call) => {
      const texture = await textureAt(call.context, call.query.url, call.caller);
      const input = inputFor(texture, { ...choiceOf(kind), variant: 'auto' });
      return await renderAnswer(call, input, {
        ...HEADERS,
        'Cache-Control': `public, max-age=${CACHE_AGE}, immutable`,
      });
    },
  });
}

type SkinCall = Call<z.output<typeof params>>;

function skinRenderRoute(kind: Kind): Route {
  return route({
    method: 'GET',
    paths: [`/render/:id/${kind}`],
    summary: `A picture of a skin by its number or UUID: ${kind} (version 1)`,
    deprecated: true,
    params,
    answers,
    cache: 'public',
    handle: async (call) => {
      const skin = await shownSkin(call);
      const input = await inputOfSkin(call.context, skin, choiceOf(kind));
      return await renderAnswer(call, input, headersFor(call, skin));
    },
  });
}

const skinTextureRoute = route({
  method: 'GET',
  paths: ['/render/texture/:id'],
  summary: 'The texture of a skin by its number or UUID (version 1)',
  deprecated: true,
  params,
  answers,
  cache: 'public',
  handle: async (call) => {
    const skin = await shownSkin(call);
    const { hash, png } = await storedTexture(call.context, skin.texture_hash);
    return pngAnswer(call, { name: hash, png }, headersFor(call, skin));
  },
});

/** Not even the owner gets pictures of private skins here, because caches keep them. @throws Refusal `skin_not_found` */
async function shownSkin({ context, caller, ...call }: SkinCall): Promise<SkinWithData> {
  const { id } = call.params;
  const isNumber = typeof id === 'number';
  const skin = isNumber ? await readSkinByNumber(context, caller, id) : await readSkin(context, caller, id);
  if (skin.visibility === 'private') throw new Refusal('skin_not_found');
  return skin;
}

/** Only its owner gets an unlisted skin by its number; otherwise, anybody could find it by counting. */
function headersFor(
  { params: { id } }: SkinCall,
  { visibility }: SkinWithData,
): Readonly<Record<string, string>> {
  return typeof id === 'number' && visibility === 'unlisted' ? { ...HEADERS, ...PRIVATE_ANSWER } : HEADERS;
}

export const RENDER_ROUTES: readonly Route[] = [
  urlRenderRoute('head'),
  urlRenderRoute('skin'),
  skinRenderRoute('head'),
  skinRenderRoute('skin'),
  skinTextureRoute,
];
