import { z } from 'zod';
import { VERSION } from '../../../base/version.ts';
import { parsePlayerId } from '../../../game/names.ts';
import { healthAnswerSchema, keyDocumentSchema, readyAnswerSchema } from '../../../protocol/account.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { requireOperator } from '../../service/callers.ts';
import { Refusal } from '../../service/refusal.ts';
import { encodedFor } from '../answers.ts';
import { type Route, route } from '../route.ts';

export const SYSTEM_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/'],
    summary: "What authlib-injector needs to trust this service's signatures",
    answers: { 200: keyDocumentSchema },
    cache: 'public',
    authenticated: false,
    handle: async ({ context }) => ({
      status: 200,
      body: await context.keyDocument(),
      // People get the start page at the same address.
      headers: { Vary: 'Accept, Authorization, Origin, User-Agent' },
    }),
  }),
  route({
    method: 'GET',
    isVital: true,
    paths: ['/health'],
    summary: 'Whether the process is alive; 503 if a restart may fix a problem',
    answers: { 200: healthAnswerSchema, 503: healthAnswerSchema },
    cache: 'none',
    authenticated: false,
    handle: async ({ context }) =>
      context.health.isAlive
        ? { status: 200, body: { status: 'ok', version: VERSION } }
        : { status: 503, body: { status: 'trouble', version: VERSION } },
  }),
  route({
    method: 'GET',
    isVital: true,
    paths: ['/ready'],
    summary: 'Whether the service accepts work, and if not, why',
    answers: { 200: readyAnswerSchema, 503: readyAnswerSchema },
    cache: 'none',
    authenticated: false,
    handle: async ({ context }) => {
      const reasons = await context.health.unreadiness();
      const isReady = reasons.length === 0;
      const { warnings } = context.health;
      const body = { status: isReady ? 'ready' : 'not_ready', reasons, warnings, version: VERSION };
      return { status: isReady ? 200 : 503, body };
    },
  }),
  route({
    method: 'GET',
    paths: ['/metrics'],
    summary: "Metrics for Prometheus; needs an operator's key unless the operator made them public",
    answers: { 200: 'text/plain', 404: errorAnswerSchema },
    cache: 'none',
    handle: async ({ context: { metrics }, caller }) => {
      if (!metrics) throw new Refusal('not_found');
      if (!metrics.isOpen) requireOperator(caller);
      return { status: 200, body: await metrics.read(), headers: { 'Content-Type': metrics.contentType } };
    },
  }),
  route({
    method: 'GET',
    paths: ['/openapi.json', '/v2/openapi.json'],
    summary: 'This description',
    answers: { 200: z.looseObject({ openapi: z.string() }) },
    cache: 'public',
    authenticated: false,
    handle: async ({ context, request }) => {
      const description = await context.description();
      const { body, headers } = encodedFor(request, description, ['Authorization', 'Origin']);
      const own = { 'Content-Type': 'application/json; charset=utf-8', ETag: `W/"${description.digest}"` };
      return { status: 200, body, headers: { ...own, ...headers } };
    },
  }),
];

/** Names in one request: as many as the game accepts. */
const MAX_NAMES = 10;

const propertySchema = z.object({ name: z.string(), value: z.string(), signature: z.string().optional() });
const profileSchema = z.object({
  id: z.string(),
  name: z.string(),
  properties: z.array(propertySchema),
  profileActions: z.array(z.string()).optional(),
});

const namesSchema = z.array(z.string().max(64)).max(MAX_NAMES);

/**
 * What authlib-injector requests from the configured service instead of the game, from the specification of such
 * servers. `join` is missing, because players' clients would send their tokens with it.
 */
export const GAME_SERVER_ROUTES: readonly Route[] = [
  route({
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
  }),
  route({
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
  }),
  route({
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
  }),
];
