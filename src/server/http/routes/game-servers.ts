import { z } from 'zod';
import { parsePlayerId } from '../../../game/names.ts';
import { route } from '../route.ts';

/**
 * What authlib-injector requests from the configured service instead of the game, from the specification of such
 * servers. `join` is missing, because players' clients would send their tokens with it.
 */

/** Names in one request: as many as the game accepts. */
const MAX_NAMES = 10;

const propertySchema = z.object({ name: z.string(), value: z.string(), signature: z.string().optional() });
const profileSchema = z.object({
  id: z.string(),
  name: z.string(),
  properties: z.array(propertySchema),
  profileActions: z.array(z.string()).optional(),
});

const profileRoute = route({
  method: 'GET',
  paths: ['/sessionserver/session/minecraft/profile/:uuid'],
  summary: "A player's profile for authlib-injector; signed with unsigned=false",
  params: z.object({ uuid: z.string() }),
  query: z.object({ unsigned: z.string().optional() }),
  answers: { 200: profileSchema, 204: null },
  cache: 'none',
  authenticated: false,
  handle: async ({ context, caller, params, query }) => {
    const id = parsePlayerId(params.uuid);
    const found = id === undefined ? undefined : await context.gameServers.profile(id, caller);
    if (!found) return { status: 204, body: undefined };
    const { name, value, signature, actions } = found;
    const textures = { name: 'textures', value, ...(query.unsigned === 'false' && { signature }) };
    return { status: 200, body: { id: found.id, name, properties: [textures], profileActions: actions } };
  },
});

const namesSchema = z.array(z.string().max(64)).max(MAX_NAMES);

const namesRoute = route({
  method: 'POST',
  paths: ['/api/profiles/minecraft', '/minecraftservices/minecraft/profile/lookup/bulk/byname'],
  summary: `Players by up to ${MAX_NAMES} names, for authlib-injector`,
  bodies: { 'application/json': namesSchema },
  answers: { 200: z.array(z.object({ id: z.string(), name: z.string() })) },
  authenticated: false,
  handle: async ({ context, caller, request }) => {
    const names = namesSchema.parse(request.body ?? []);
    const found = await context.gameServers.named(names, caller);
    return { status: 200, body: found.map(({ id, name }) => ({ id, name })) };
  },
});

const hasJoinedRoute = route({
  method: 'GET',
  paths: ['/sessionserver/session/minecraft/hasJoined'],
  summary: "Whether a player has joined a game server; forwards the game's answer",
  query: z.object({
    username: z.string().min(1).max(64),
    serverId: z.string().min(1).max(64),
    ip: z.string().max(64).optional(),
  }),
  answers: { 200: 'application/json', 204: null, 403: 'application/json' },
  cache: 'none',
  authenticated: false,
  handle: async ({ context, caller, query }) => {
    const { status, bytes } = await context.gameServers.hasJoined(query, caller);
    if (status === 204 || bytes.length === 0) return { status: 204, body: undefined };
    return { status, body: bytes, headers: { 'Content-Type': 'application/json; charset=utf-8' } };
  },
});

export const GAME_SERVER_ROUTES = [profileRoute, namesRoute, hasJoinedRoute] as const;
