import { z } from 'zod';
import { parsePlayerId } from '../../../game/names.ts';
import { envelopeSchema, errorAnswerSchema } from '../../../protocol/envelope.ts';
import {
  ownNamesAnswerSchema,
  ownNamesQuerySchema,
  playerAnswerSchema,
  wearSchema,
  wornPlayerSchema,
} from '../../../protocol/player.ts';
import type { ServiceContext } from '../../context.ts';
import type { Caller } from '../../service/callers.ts';
import { ownName } from '../../service/players/launcher-textures.ts';
import { readNames, readPlayer, releasePlayer, wear } from '../../service/players/wardrobe.ts';
import { type Route, route } from '../route.ts';
import { pageLinks, placeAfter, v2Answer } from '../views.ts';
import { MAX_NAME_LENGTH } from './game-servers.ts';

const params = z.object({ name: wornPlayerSchema });
const linksOf = (name: string) => ({ self: `/v2/players/${name}`, names: '/v2/me/players' });

/** The name itself, or the one of the player whose UUID this is. @throws Refusal `player_not_found` */
async function namedBy(context: ServiceContext, caller: Caller, name: string): Promise<string> {
  if (parsePlayerId(name) === undefined) return name;
  return (await ownName(context, { caller, uuid: name })).spelling;
}

/** Player names and what they wear. */
export const PLAYER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v2/players/:name'],
    summary: 'What a player name of this service wears; for its user, also what it wore before',
    // No reader learns from the answer whether a name is possible.
    params: z.object({ name: z.string().max(MAX_NAME_LENGTH) }),
    answers: { 200: playerAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, warnings }) => {
      const player = await readPlayer(context, caller, name);
      return v2Answer({ warnings, links: linksOf(player.name) }, { player });
    },
  }),
  route({
    method: 'PUT',
    needsKey: true,
    scopes: ['skins'],
    paths: ['/v2/players/:name'],
    summary: 'Let a player name show a skin and a cape; operators also give it to a user',
    params,
    body: wearSchema,
    answers: { 200: playerAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, body, warnings }) => {
      const player = await wear(context, caller, await namedBy(context, caller, name), body);
      return v2Answer({ warnings, links: linksOf(player.name) }, { player });
    },
  }),
  route({
    method: 'DELETE',
    needsKey: true,
    scopes: ['skins'],
    paths: ['/v2/players/:name'],
    summary: 'Release a player name: it shows nothing, and others may have it',
    params,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, warnings }) => {
      await releasePlayer(context, caller, await namedBy(context, caller, name));
      const messages = [{ code: 'player_released', message: 'The name was released.' }];
      return v2Answer({ warnings, messages, links: { names: '/v2/me/players' } });
    },
  }),
  route({
    method: 'GET',
    needsKey: true,
    scopes: ['read'],
    isStrict: true,
    paths: ['/v2/me/players'],
    summary: "The caller's player names; with all=true those of everyone (operator only)",
    query: ownNamesQuerySchema,
    answers: { 200: ownNamesAnswerSchema },
    handle: async ({ context, caller, query: { all, skins, ...page }, warnings }) => {
      const players = await readNames(context, caller, { ...page, skins, all: all === 'true' });
      const next = placeAfter(players, page.size, ({ name }) => name);
      const only = { ...(all === 'true' && { all }), ...(skins && { skins: skins.join() }) };
      const links = pageLinks('/v2/me/players', { ...page, ...only }, next);
      return v2Answer({ warnings, links }, { players });
    },
  }),
];
