import { z } from 'zod';
import { floodgatePlayer } from '../../../game/bedrock.ts';
import { isPlayerName, parsePlayerId } from '../../../game/names.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import type { AnyView } from '../../../skin/render/views.ts';
import { type DefaultSkin, defaultNameOf } from '../../pictures/player-looks.ts';
import { Refusal } from '../../service/refusal.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import { CROSS_ORIGIN, pngAnswer, renderAnswer, standInFor } from './pictures.ts';

/**
 * The addresses of Minotar, a service for pictures of players by name or UUID, and of similar services: Cravatar,
 * MC-Heads, Visage and NMSR. From their documentation, which test/service/pictures/minotar.test.ts checks line by line.
 */

/** `height`: as a multiple of the width. */
const PICTURES = {
  avatar: { view: 'face', height: 1, overlay: false },
  helm: { view: 'face', height: 1, overlay: true },
  cube: { view: 'head', height: 1, overlay: false },
  bust: { view: 'upper', height: 1, overlay: false },
  body: { view: 'front', height: 2, overlay: false },
  'armor/bust': { view: 'upper', height: 1, overlay: true },
  'armor/body': { view: 'front', height: 2, overlay: true },
  // Cravatar's names for these, and MC-Heads' for the last one.
  helmavatar: { view: 'face', height: 1, overlay: true },
  head: { view: 'head', height: 1, overlay: false },
  helmhead: { view: 'head', height: 1, overlay: true },
  player: { view: 'front', height: 2, overlay: true },
  // MC-Heads' head beside the figure: ours shows both in one.
  combo: { view: 'bust', height: 1, overlay: true },
  // Visage's and NMSR's names.
  face: { view: 'face', height: 1, overlay: true },
  full: { view: 'body', height: 2, overlay: true },
  fullbody: { view: 'body', height: 2, overlay: true },
} as const satisfies Record<string, Drawing>;

/** What Visage and NMSR show under names of Minotar: Visage has the size before the user, NMSR as a parameter. */
const IN_3D: Readonly<Record<string, Drawing>> = {
  bust: { view: 'bust', height: 1, overlay: true },
  head: { view: 'head', height: 1, overlay: true },
};

interface Drawing {
  readonly view: AnyView;
  readonly height: number;
  readonly overlay: boolean;
}

/** Sizes of pictures in pixels; others get the nearest. `large`: the most on Visage and NMSR. */
const SIZES = { least: 8, most: 300, large: 512, usual: 180 };
const BROWSER_AGE = 3600;

const userParams = z.object({ user: z.string() });
const sizedParams = userParams.extend({ size: z.string() });
const sizeFirstParams = z.object({ size: z.string(), user: z.string() });
const sizeQuery = z.object({ width: z.string().max(64).optional() });
const answers = {
  200: 'image/png',
  302: null,
  404: errorAnswerSchema,
  429: 'image/png',
  503: 'image/png',
} as const;
const common = { answers, authenticated: false } as const;

export const MINOTAR_ROUTES: readonly Route[] = [
  ...Object.entries(PICTURES).flatMap(([name, drawing]) => [
    pictureRoute(name, drawing),
    sizedRoute(name, drawing),
  ]),
  textureRoute('/skin/:user'),
  textureRoute('/skin/:size/:user', { params: sizeFirstParams }),
  textureRoute('/download/:user', { headers: { 'Content-Disposition': 'attachment; filename="skin.png"' } }),
];

function pictureRoute(name: string, drawing: Drawing): Route {
  return route(`GET /${name}/:user`, {
    ...common,
    summary: `A player's picture, as on Minotar and similar services: ${name}`,
    params: userParams,
    query: sizeQuery,
    standIn: standInFor(drawing.view),
    handle: async (call) => {
      const width = sizeIn(call.query.width, SIZES.large);
      const user = bare(call.params.user);
      if (width === undefined) return await draw(call, drawing, { place: name, user, rest: '' }, SIZES.usual);
      return await draw(call, IN_3D[name] ?? drawing, { place: name, user, rest: `?width=${width}` }, width);
    },
  });
}

function sizedRoute(name: string, drawing: Drawing): Route {
  return route(`GET /${name}/:user/:size`, {
    ...common,
    summary: `A player's picture of this width, as on Minotar and similar services: ${name}`,
    params: sizedParams,
    standIn: standInFor(drawing.view),
    handle: async (call) => {
      const { user, size } = call.params;
      const width = sizeIn(bare(size), SIZES.most);
      if (width !== undefined)
        return await draw(call, drawing, { place: name, user, rest: `/${width}` }, width);
      const height = sizeIn(user, SIZES.large);
      if (height === undefined) throw new Refusal('not_found');
      const shown = IN_3D[name] ?? drawing;
      const address = { place: `${name}/${height}`, user: bare(size), rest: '' };
      return await draw(call, shown, address, Math.ceil(height / shown.height));
    },
  });
}

interface TextureOptions {
  readonly params?: typeof userParams;
  readonly headers?: Readonly<Record<string, string>>;
}

function textureRoute(
  path: `/${string}`,
  { params = userParams, headers: more = {} }: TextureOptions = {},
): Route {
  const [, place = ''] = path.split('/');
  return route(`GET ${path}`, {
    ...common,
    summary: `A player's skin, as on Minotar and similar services: ${place}`,
    params,
    standIn: standInFor('texture'),
    handle: async (call) => {
      const found = await findSkin(call, { place, user: bare(call.params.user), rest: '' });
      if ('status' in found) return found;
      const { texture, headers } = found;
      return pngAnswer(call, { name: texture.hash, png: texture.png }, { ...headers, ...more });
    },
  });
}

/** In `/helm/Notch/64`, the place is `helm` and the rest `/64`; in `/face/64/Notch`, the place is `face/64`. */
interface Address {
  readonly place: string;
  readonly user: string;
  readonly rest: string;
}

async function draw(
  call: Call,
  { height, ...drawing }: Drawing,
  address: Address,
  width: number,
): Promise<Answer> {
  const found = await findSkin(call, address);
  if ('status' in found) return found;
  const { texture, variant, headers } = found;
  return await renderAnswer(
    call,
    { ...drawing, skin: texture, variant, width, height: width * height },
    headers,
  );
}

type Found = DefaultSkin & { readonly headers: Readonly<Record<string, string>> };

/** A player's skin or the default one; a redirect for a UUID with dashes. @throws Refusal `not_found` */
async function findSkin({ context, caller }: Call, { place, user, rest }: Address): Promise<Found | Answer> {
  const { playerLooks } = context;
  const id = parsePlayerId(user);
  if (id !== undefined && id !== user.toLowerCase()) {
    const headers = { ...CROSS_ORIGIN, ...KEPT, Location: `/${place}/${id}${rest}` };
    return { status: 302, body: undefined, headers };
  }
  const bedrock = floodgatePlayer(user);
  const [, named] = /^(?:mhf_|x-)(steve|alex)$/i.exec(user) ?? [];
  if (named) return { ...playerLooks.defaultSkin(named.toLowerCase() as 'steve' | 'alex'), headers: KEPT };
  if (id === undefined && !bedrock && !isPlayerName(user))
    throw new Refusal('not_found', 'This is not a valid player name.');
  const found = await playerLooks.find(
    bedrock ?? (id === undefined ? { name: user } : { id }),
    'skin',
    caller,
  );
  const { texture, variant, origin } = found;
  const headers = origin === 'failed' || origin === 'stale' ? NOT_KEPT : KEPT;
  if (texture) return { texture, variant, headers };
  return { ...playerLooks.defaultSkin(found.id === undefined ? 'steve' : defaultNameOf(found.id)), headers };
}

const KEPT = { 'Cache-Control': `public, max-age=${BROWSER_AGE}` };
const NOT_KEPT = { 'Cache-Control': 'no-cache, max-age=0' };

/** Removes an extension: a name has a dot only at its start, on servers with Floodgate. */
function bare(text: string): string {
  return text.replace(/(?!^)\..*$/, '');
}

/** Undefined for anything but a number. */
function sizeIn(text: string | undefined, most: number): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(most, Math.max(SIZES.least, Number(text)));
}
