import { z } from 'zod';
import { parsePlayerId } from '../../../game/names.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import {
  ownNamesAnswerSchema,
  ownNamesQuerySchema,
  playerAnswerSchema,
  wearSchema,
  wornPlayerSchema,
} from '../../../protocol/player.ts';
import type { ServiceContext } from '../../context.ts';
import { type Caller, requireScope } from '../../service/callers.ts';
import {
  ownName,
  readNames,
  readPlayer,
  releasePlayer,
  takeOff,
  wear,
  wearPicture,
  wearPicturedCape,
} from '../../service/players/wardrobe.ts';
import { Refusal } from '../../service/refusal.ts';
import { pngFile, readBody } from '../bodies.ts';
import { type Route, route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';
import { pageLinks, placeAfter } from '../views.ts';
import { MAX_NAME_LENGTH } from './game-servers.ts';

const params = z.object({ name: wornPlayerSchema });
const forOwners = v2Routes({ scopes: ['skins'], needsKey: true });
const linksOf = (name: string) => ({ self: `/v2/players/${name}`, names: '/v2/me/players' });

/** The name itself, or the one of the player whose UUID this is. @throws Refusal `player_not_found` */
async function namedBy(context: ServiceContext, caller: Caller, name: string): Promise<string> {
  if (parsePlayerId(name) === undefined) return name;
  return (await ownName(context, { caller, uuid: name })).spelling;
}

export const PLAYER_ROUTES: readonly Route[] = [
  v2Routes()('GET /v2/players/:name', {
    summary: 'What a player name of this service wears; for its user, also what it wore before',
    // No reader learns from the answer whether a name is possible.
    params: z.object({ name: z.string().max(MAX_NAME_LENGTH) }),
    answers: { 200: playerAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name } }) => {
      const player = await readPlayer(context, caller, name);
      return { links: linksOf(player.name), player };
    },
  }),
  forOwners('PUT /v2/players/:name', {
    summary: 'Let a player name show a skin and a cape; operators also give it to a user',
    params,
    body: wearSchema,
    answers: { 200: playerAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, body }) => {
      const player = await wear(context, caller, await namedBy(context, caller, name), body);
      return { links: linksOf(player.name), player };
    },
  }),
  forOwners('DELETE /v2/players/:name', {
    summary: 'Release a player name: it shows nothing, and others may have it',
    params,
    done: { code: 'player_released', message: 'The name was released.' },
    links: { names: '/v2/me/players' },
    handle: async ({ context, caller, params: { name } }) =>
      await releasePlayer(context, caller, await namedBy(context, caller, name)),
  }),
  v2Routes()('GET /v2/me/players', {
    needsKey: true,
    scopes: ['read'],
    isStrict: true,
    summary: "The caller's player names; with all=true those of everyone (operator only)",
    query: ownNamesQuerySchema,
    answers: { 200: ownNamesAnswerSchema },
    handle: async ({ context, caller, query: { all, skins, ...page } }) => {
      const players = await readNames(context, caller, { ...page, skins, all: all === 'true' });
      const next = placeAfter(players, page.size, ({ name }) => name);
      const only = { ...(all === 'true' && { all }), ...(skins && { skins: skins.join() }) };
      return { links: pageLinks('/v2/me/players', { ...page, ...only }, next), players };
    },
  }),
];

const textureParams = z.object({ uuid: z.string().max(64), type: z.enum(['skin', 'cape']) });
const modelSchema = z.enum(['', 'slim']);

const TEXTURES = '/api/user/profile/:uuid/:type';
const common = { needsKey: true, scopes: ['skins'] } as const;

/** How launchers change textures, in authlib-injector's specification. The access token is a key of this service. */
export const LAUNCHER_TEXTURE_ROUTES: readonly Route[] = [
  route(`PUT ${TEXTURES}`, {
    ...common,
    summary: "Let a name of the caller wear a picture, from launchers (authlib-injector's texture upload)",
    verifyCaller: (caller) => requireScope(caller, 'generate'),
    params: textureParams,
    bodies: { 'multipart/form-data': z.object({ model: modelSchema.optional(), file: pngFile }) },
    answers: { 204: null, 404: errorAnswerSchema },
    handle: async ({ context, caller, request, params: { uuid, type } }) => {
      const { fields, file, fileName } = await readBody(request);
      if (!file) throw new Refusal('missing_file');
      if (type === 'cape') await wearPicturedCape(context, { caller, uuid }, file);
      else {
        const variant = modelSchema.parse(fields['model'] ?? '') || 'classic';
        await wearPicture(context, { caller, uuid }, { bytes: file, fileName, variant });
      }
      return { status: 204, body: undefined };
    },
  }),
  route(`DELETE ${TEXTURES}`, {
    ...common,
    summary: 'Take the cape, or skin and cape, off a name of the caller, from launchers (authlib-injector)',
    params: textureParams,
    answers: { 204: null, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid, type } }) => {
      await takeOff(context, { caller, uuid }, type);
      return { status: 204, body: undefined };
    },
  }),
];
