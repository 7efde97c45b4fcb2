import { z } from 'zod';
import { parsePlayerId } from '../../../game/names.ts';
import type { ServedProfile } from '../../service/players/profiles.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';

/** Names in one request: as many as the game accepts. */
const MAX_NAMES = 10;
export const MAX_NAME_LENGTH = 64;

const propertySchema = z.object({ name: z.string(), value: z.string(), signature: z.string().optional() });
const profileSchema = z.object({
  id: z.string(),
  name: z.string(),
  properties: z.array(propertySchema),
  profileActions: z.array(z.string()).optional(),
});
const playerSchema = z.object({ id: z.string(), name: z.string() });
const namesSchema = z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_NAMES);
/** As the game's services write it. */
const notFoundSchema = z.object({
  path: z.string(),
  error: z.string().optional(),
  errorMessage: z.string(),
});

/** Tells launchers what the user of a name may upload: see LAUNCHER_TEXTURE_ROUTES in players.ts. */
const UPLOADABLE = { name: 'uploadableTextures', value: 'skin' };

const common = { cache: 'none', authenticated: false } as const;

/**
 * What authlib-injector requests from the configured service instead of the game: it replaces the hosts of the game's
 * services by folders of this service, whatever follows. Some versions of the game look up names at one host, some at the
 * other, and plugins contain the oldest address. `join` is missing, because players' clients would send their tokens with it.
 * docs/internals/compatibility.md lists who requests what.
 */
export const GAME_SERVER_ROUTES: readonly Route[] = [
  route('GET /sessionserver/session/minecraft/profile/:uuid', {
    ...common,
    summary: "A player's profile for authlib-injector; signed with unsigned=false",
    params: z.object({ uuid: z.string() }),
    query: z.object({ unsigned: z.string().optional() }),
    answers: { 200: profileSchema, 204: null },
    handle: async ({ context, caller, params, query }) => {
      const id = parsePlayerId(params.uuid);
      const found = id === undefined ? undefined : await context.gameServers.profile(id, caller);
      return profileAnswer(found, query.unsigned === 'false');
    },
  }),
  route('POST /api/profiles/minecraft', {
    ...common,
    alsoAt: [
      '/minecraftservices/minecraft/profile/lookup/bulk/byname',
      '/api/minecraft/profile/lookup/bulk/byname',
    ],
    summary: `Players by up to ${MAX_NAMES} names, for authlib-injector`,
    bodies: { 'application/json': namesSchema },
    answers: { 200: z.array(playerSchema) },
    handle: async ({ context, caller, request }) => {
      const names = namesSchema.parse(request.body ?? []);
      const found = await context.gameServers.named(names, caller);
      return { status: 200, body: found.map(({ id, name }) => ({ id, name })) };
    },
  }),
  route('GET /minecraftservices/minecraft/profile/lookup/name/:name', {
    ...common,
    alsoAt: ['/api/minecraft/profile/lookup/name/:name', '/api/users/profiles/minecraft/:name'],
    summary: 'A player by name, for authlib-injector',
    params: z.object({ name: z.string().max(MAX_NAME_LENGTH) }),
    answers: { 200: playerSchema, 404: notFoundSchema },
    handle: async (call) => {
      const { name } = call.params;
      const [found] = await call.context.gameServers.named([name], call.caller);
      if (found) return { status: 200, body: { id: found.id, name: found.name } };
      return notFound(call, { errorMessage: `Couldn't find any profile with name ${name}` });
    },
  }),
  route('GET /minecraftservices/minecraft/profile/lookup/:uuid', {
    ...common,
    summary: 'A player by UUID, for authlib-injector',
    params: z.object({ uuid: z.string() }),
    answers: { 200: playerSchema, 404: notFoundSchema },
    handle: async (call) => {
      const id = parsePlayerId(call.params.uuid);
      const found = id === undefined ? undefined : await call.context.gameServers.profile(id, call.caller);
      if (found) return { status: 200, body: { id: found.id, name: found.name } };
      return notFound(call, { error: 'NOT_FOUND', errorMessage: 'Not Found' });
    },
  }),
  route('GET /sessionserver/session/minecraft/hasJoined', {
    ...common,
    isBoundedElsewhere: true,
    summary: "Whether a player has joined a game server; forwards Mojang's answer",
    query: z.object({
      username: z.string().min(1).max(64),
      serverId: z.string().min(1).max(64),
      ip: z.string().max(64).optional(),
    }),
    answers: { 200: 'application/json', 204: null, 403: 'application/json' },
    handle: async ({ context, caller, query }) => {
      const { status, bytes } = await context.gameServers.hasJoined(query, caller);
      if (status === 204 || bytes.length === 0) return { status: 204, body: undefined };
      return { status, body: bytes, headers: { 'Content-Type': 'application/json; charset=utf-8' } };
    },
  }),
  profileByNameRoute(false),
  profileByNameRoute(true),
];

/** MC-Heads' copy of the session server, by name as well; `isSigned`: with the signature. */
function profileByNameRoute(isSigned: boolean): Route {
  return route(`GET /minecraft/profile/:user${isSigned ? '/signed' : ''}`, {
    ...common,
    summary: `A player's profile by name or UUID, as on MC-Heads${isSigned ? '; signed' : ''}`,
    params: z.object({ user: z.string().max(MAX_NAME_LENGTH) }),
    answers: { 200: profileSchema, 204: null },
    handle: async ({ context: { gameServers }, caller, params: { user } }) => {
      const [named] = parsePlayerId(user) === undefined ? await gameServers.named([user], caller) : [];
      const id = parsePlayerId(user) ?? named?.id;
      return profileAnswer(id === undefined ? undefined : await gameServers.profile(id, caller), isSigned);
    },
  });
}

/** A profile as the game's session server writes it, which answers 204 if there is none. */
function profileAnswer(found: ServedProfile | undefined, isSigned: boolean): Answer {
  if (!found) return { status: 204, body: undefined };
  const { id, name, value, signature, actions, isWorn = false } = found;
  const textures = { name: 'textures', value, ...(isSigned && { signature }) };
  const properties = [textures, ...(isWorn ? [UPLOADABLE] : [])];
  return { status: 200, body: { id, name, properties, profileActions: actions } };
}

/** The game's own form, with the path at the game's host: without the folder that stands for the host. */
function notFound(
  { request }: Pick<Call, 'request'>,
  said: Omit<z.output<typeof notFoundSchema>, 'path'>,
): Answer {
  const [path = ''] = request.url.split('?', 1);
  return { status: 404, body: { path: path.replace(/^\/\w+/, ''), ...said } };
}
