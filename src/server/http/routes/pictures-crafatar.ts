import { z } from 'zod';
import { floodgatePlayer } from '../../../game/bedrock.ts';
import { parsePlayerId } from '../../../game/names.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import type { AnyView } from '../../../skin/render/views.ts';
import {
  type DefaultName,
  defaultNameOf,
  type LookOrigin,
  type PlayerLook,
} from '../../pictures/player-looks.ts';
import { Refusal } from '../../service/refusal.ts';
import type { PlayerKey } from '../../store/textures.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import { CROSS_ORIGIN, pngAnswer, renderAnswer, standInFor } from './pictures.ts';

/**
 * The addresses, parameters and headers of Crafatar, a service for pictures of players that many sites are configured
 * for. From its documentation, which test/service/pictures/crafatar.test.ts checks line by line.
 */
const params = z.object({ uuid: z.string() });
const look = z.object({ overlay: z.string().optional(), helm: z.string().optional() });
const fallback = z.object({ default: z.string().max(512).optional() });
const avatarQuery = look.extend({ ...fallback.shape, size: z.string().optional() });
const renderQuery = look.extend({ ...fallback.shape, scale: z.string().optional() });

type Query = z.output<typeof avatarQuery> & z.output<typeof renderQuery>;
type PlayerCall = Call<z.output<typeof params>, Query>;

const answers = {
  200: 'image/png',
  307: null,
  422: errorAnswerSchema,
  429: 'image/png',
  502: 'image/png',
  503: 'image/png',
} as const;

/** Values of X-Storage-Type: where a texture comes from. */
const STORAGE_TYPES = {
  none: 'none',
  cached: 'cached',
  checked: 'checked',
  downloaded: 'downloaded',
  failed: 'server error',
  stale: 'server error;cached',
} as const satisfies Record<LookOrigin, string>;

/** Browsers keep a picture for this many seconds. */
const BROWSER_AGE = 3600;

const SIZES = { name: 'size', least: 1, most: 512, usual: 160 } as const;
const SCALES = { name: 'scale', least: 1, most: 10, usual: 6 } as const;

/** Width and height of a render at scale 1. */
const RENDERS = {
  head: { view: 'head', width: 20, height: 18.5 },
  body: { view: 'isometric', width: 20, height: 45.1 },
} as const satisfies Record<string, Frame>;

const playerRenderRoutes: readonly Route[] = (['head', 'body'] as const).map((kind) =>
  route(`GET /renders/${kind}/:uuid`, {
    summary: `A player's ${kind} seen from a corner above, as on Crafatar`,
    params,
    query: renderQuery,
    answers,
    standIn: standInFor(RENDERS[kind].view),
    authenticated: false,
    handle: async (call: PlayerCall) => {
      const scale = numberIn(call.query.scale, SCALES);
      const { view, width, height } = RENDERS[kind];
      const frame = { view, width: width * scale, height: Math.floor(height * scale) };
      return await drawn(call, `renders/${kind}`, frame);
    },
  }),
);

export const CRAFATAR_ROUTES: readonly Route[] = [
  route('GET /avatars/:uuid', {
    summary: "A player's face, as on Crafatar",
    params,
    query: avatarQuery,
    answers,
    standIn: standInFor('face'),
    authenticated: false,
    handle: async (call: PlayerCall) => {
      const size = numberIn(call.query.size, SIZES);
      return await drawn(call, 'avatars', { view: 'face', width: size, height: size });
    },
  }),
  ...playerRenderRoutes,
  route('GET /skins/:uuid', {
    summary: "A player's skin, as on Crafatar",
    params,
    query: fallback,
    answers,
    standIn: standInFor('texture'),
    authenticated: false,
    handle: async (call: PlayerCall) => {
      const player = playerIn(call.params.uuid);
      const found = await call.context.playerLooks.find(player, 'skin', call.caller);
      const skin = chosenSkin(call, 'skins', found);
      if ('status' in skin) return skin;
      const answer = pngAnswer(call, { name: skin.texture.hash, png: skin.texture.png }, headersOf(found));
      return withStatusOf(found, answer);
    },
  }),
  route('GET /capes/:uuid', {
    summary: "A player's cape, as on Crafatar",
    params,
    query: fallback,
    answers: { 200: 'image/png', 404: errorAnswerSchema, 422: errorAnswerSchema, 502: errorAnswerSchema },
    authenticated: false,
    handle: async (call: PlayerCall) => {
      const player = playerIn(call.params.uuid);
      const found = await call.context.playerLooks.find(player, 'cape', call.caller);
      const { texture, origin } = found;
      if (texture) return pngAnswer(call, { name: texture.hash, png: texture.png }, headersOf(found));
      const headers = { 'X-Storage-Type': STORAGE_TYPES[origin] };
      if (origin !== 'failed')
        throw new Refusal('not_found', { message: 'The player has no cape.', headers });
      const message = "Mojang's services cannot be reached.";
      throw new Refusal('service_unavailable', { status: 502, message, headers });
    },
  }),
];

interface Frame {
  readonly view: AnyView;
  readonly width: number;
  readonly height: number;
}

async function drawn(call: PlayerCall, place: string, frame: Frame): Promise<Answer> {
  const player = playerIn(call.params.uuid);
  const found = await call.context.playerLooks.find(player, 'skin', call.caller);
  const skin = chosenSkin(call, place, found);
  if ('status' in skin) return skin;
  const { overlay, helm } = call.query;
  const input = {
    ...frame,
    skin: skin.texture,
    variant: skin.variant,
    overlay: (overlay ?? helm) !== undefined, // whatever their values are
  };
  return withStatusOf(found, await renderAnswer(call, input, headersOf(found)));
}

/** The player's own skin or the caller's default: a redirect if that is another player's. */
function chosenSkin(
  { query, context }: PlayerCall,
  place: string,
  found: PlayerLook,
): (Pick<Required<PlayerLook>, 'variant'> & { texture: NonNullable<PlayerLook['texture']> }) | Answer {
  const { texture, variant } = found;
  if (texture) return { texture, variant };
  const { default: wanted, ...rest } = query;
  const other = wanted === undefined ? undefined : parsePlayerId(wanted);
  if (other === undefined)
    return context.playerLooks.defaultSkin(
      defaultNamed(wanted) ?? (found.id === undefined ? 'steve' : defaultNameOf(found.id)),
    );
  const kept = new URLSearchParams(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ).toString();
  const headers = {
    ...CROSS_ORIGIN,
    ...headersOf(found),
    Location: `/${place}/${other}${kept && `?${kept}`}`,
  };
  return { status: 307, body: undefined, headers };
}

/**
 * Undefined for anything else. Crafatar also redirects to any URL; we never send callers to other sites, and use the
 * player's usual default.
 */
function defaultNamed(wanted: string | undefined): DefaultName | undefined {
  const [, name] = /^(?:mhf_)?(steve|alex)$/i.exec(wanted ?? '') ?? [];
  return name?.toLowerCase() as DefaultName | undefined;
}

/** With any extension. @throws Refusal with status 422 */
function playerIn(text: string): PlayerKey {
  const name = text.replace(/(?!^)\..*$/, '');
  const id = parsePlayerId(name);
  const player = floodgatePlayer(name) ?? (id === undefined ? undefined : { id });
  if (player) return player;
  throw userError("This is not a player's UUID: 32 hexadecimal digits, or 36 characters with dashes.");
}

interface Bounds {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

/** Ignores what is not a number. @throws Refusal with status 422 for one out of bounds */
function numberIn(text: string | undefined, { name, least, most, usual }: Bounds): number {
  const number = Number.parseInt(text ?? '', 10) || usual;
  if (number >= least && number <= most) return number;
  throw userError(`The ${name} must be from ${least} to ${most}.`);
}

function userError(message: string): Refusal {
  const headers = { 'X-Storage-Type': 'user error' };
  return new Refusal('validation_error', { status: 422, message, headers });
}

function headersOf({ origin }: PlayerLook): Record<string, string> {
  const isCertain = origin !== 'failed' && origin !== 'stale';
  return {
    'Cache-Control': isCertain ? `public, max-age=${BROWSER_AGE}` : 'no-cache, max-age=0',
    'X-Storage-Type': STORAGE_TYPES[origin],
    ...(origin === 'stale' && { Warning: '111 skinsmith "Revalidation Failed"' }),
  };
}

/** Caches must not keep a default skin that is only shown because the game is unreachable. */
function withStatusOf({ origin }: PlayerLook, answer: Answer): Answer {
  return origin === 'failed' && answer.status === 200 ? { ...answer, status: 502 } : answer;
}
