import { z } from 'zod';
import { GameError } from '../../../game/errors.ts';
import { isPlayerName } from '../../../game/names.ts';
import { fetchSignedProfile } from '../../../game/profiles.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { MAX_WAIT_SECONDS } from '../../../protocol/generate.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import {
  v1CompatSchema,
  v1GenerateAnswerSchema,
  v1OptionsSchema,
  v1PlayerSchema,
  v1SourceSchema,
} from '../../../protocol/v1.ts';
import { awaitSkin, DEFAULT_PATIENCE, type JobPatience } from '../../service/jobs/jobs.ts';
import { readRateLimit, refusalWithPace, viaFor, waitAfterNew } from '../../service/limits.ts';
import { asRefusal, Refusal } from '../../service/refusal.ts';
import { withinFetchLimits } from '../../service/sources/fetches.ts';
import { requestFromGame } from '../../service/sources/player.ts';
import type { Source } from '../../service/sources/source.ts';
import type { GenerationRequest } from '../../service/submitting/generation-request.ts';
import { submit } from '../../service/submitting/submit.ts';
import { pngFile, readBody } from '../bodies.ts';
import { versionHeader } from '../described-answers.ts';
import type { HttpRequest } from '../route.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import { delayHeaders, rateLimitHeaders, v1SkinView, waitView } from '../views.ts';

const DEPRECATED: Note = {
  code: 'deprecated',
  message: 'This is version 1 of the service. Use POST /v2/generate or POST /v2/queue.',
};

/** Clients of version 1 wait for at least half a minute. */
const PATIENCE: JobPatience = { ...DEFAULT_PATIENCE, atWork: MAX_WAIT_SECONDS * 1000 };

const ANSWERS = { 200: v1GenerateAnswerSchema };

const { url, uuid, user } = v1SourceSchema.shape;
const fromFile = v1OptionsSchema.extend({ file: pngFile });
const fromUrl = v1OptionsSchema.extend({ url });
const fromPlayer = v1OptionsSchema.extend({ uuid, user });

export const V1_GENERATE_ROUTES: readonly Route[] = [
  generating('upload', {
    summary: 'Generate a skin from a file (version 1)',
    query: v1OptionsSchema,
    bodies: { 'multipart/form-data': fromFile },
  }),
  generating('url', {
    summary: 'Generate a skin from a URL (version 1)',
    query: fromUrl,
    bodies: inEveryWay(fromUrl),
  }),
  generating('user', {
    summary: "Generate a player's skin (version 1)",
    query: fromPlayer,
    bodies: inEveryWay(fromPlayer),
  }),
  route('GET /generate/user/:uuid', {
    changes: true,
    scopes: ['generate'],
    summary: "Generate a player's skin (version 1, for the oldest clients)",
    deprecated: true,
    isLimited: true,
    cache: 'none',
    params: z.object({ uuid: z.string() }),
    query: v1OptionsSchema.extend({ v2: v1CompatSchema }),
    answers: ANSWERS,
    handle: async (call) => await answer(call, 'user'),
  }),
];

function inEveryWay(schema: z.ZodObject): Record<string, z.ZodType> {
  return {
    'application/json': schema,
    'application/x-www-form-urlencoded': schema,
    'multipart/form-data': schema,
  };
}

function generating(
  kind: Source['kind'],
  { query, ...spec }: { summary: string; query: z.ZodObject; bodies: Record<string, z.ZodType> },
): Route {
  return route(`POST /generate/${kind}`, {
    ...spec,
    scopes: ['generate'],
    deprecated: true,
    isLimited: true,
    query: query.extend({ v2: v1CompatSchema }),
    answers: ANSWERS,
    handle: async (call) => await answer(call, kind),
  });
}

async function answer(
  call: Call<unknown, { v2?: boolean | undefined }>,
  kind: Source['kind'],
): Promise<Answer> {
  const { context, caller, query } = call;
  const via = viaFor(caller, query.v2 ?? false);
  const headers = versionHeader(via);
  try {
    const input = await readV1Request(call.request, kind);
    const submitted = await submit(context, { caller, via, ...input });
    const isKnown = submitted.kind === 'known';
    const { job } = submitted;
    const skin = isKnown ? submitted.skin : await awaitSkin(context, { caller, job }, PATIENCE);
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now(), via);
    const wait = waitView(isKnown ? rateLimit.next.relative : waitAfterNew(rateLimit));
    const warnings = [...call.warnings, ...submitted.warnings, DEPRECATED];
    const body = {
      ...v1SkinView(skin, isKnown),
      ...wait,
      nextRequest: wait.delay,
      warnings,
      usage: {},
      rateLimit,
    };
    return {
      status: 200,
      body,
      headers: { ...headers, ...delayHeaders(rateLimit), ...rateLimitHeaders(rateLimit, { retry: false }) },
    };
  } catch (error) {
    throw await refusalWithPace(context, asRefusal(error), { caller, via, headers });
  }
}

interface Player {
  readonly id: string;
  readonly name: string;
}

const answers = { 200: v1PlayerSchema, 404: v1PlayerSchema };

export const V1_PLAYER_ROUTES: readonly Route[] = [
  route('GET /validate/name/:name', {
    alsoAt: ['/validate/user/:name'],
    summary: 'Whether a player has this name (version 1)',
    deprecated: true,
    params: z.object({ name: z.string().min(1).max(16) }),
    answers,
    handle: async (call) => {
      const { name } = call.params;
      if (!isPlayerName(name)) return playerAnswer(undefined);
      return await validateAnswer(call, async () => (await call.context.game.names.find(name)) ?? undefined);
    },
  }),
  route('GET /validate/uuid/:uuid', {
    alsoAt: ['/validate/currentUsername/:uuid'],
    summary: 'Whether a player has this UUID (version 1)',
    deprecated: true,
    params: z.object({ uuid: uuidSchema }),
    answers,
    handle: async (call) =>
      await validateAnswer(
        call,
        async () => await fetchSignedProfile(call.context.game.http, call.params.uuid),
      ),
  }),
];

/** Counts towards the caller's fetches. */
async function validateAnswer(
  { context, caller }: Call<unknown, unknown>,
  find: () => Promise<Player | undefined>,
): Promise<Answer> {
  const asking = { caller, via: 'v1' } as const;
  const ask = async () => await requestFromGame(context, asking, async () => await unlessNobody(find));
  return playerAnswer(await withinFetchLimits(context, asking, ask));
}

function playerAnswer(player: Player | undefined): Answer {
  const body = player ? { valid: true, uuid: player.id, name: player.name } : { valid: false };
  return { status: player ? 200 : 404, body, headers: versionHeader('v1') };
}

async function unlessNobody(find: () => Promise<Player | undefined>): Promise<Player | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof GameError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface Given {
  /** Options from the query, the body and the address; later ones take precedence. */
  readonly fields: Fields;
  readonly file: Uint8Array | undefined;
  readonly fileName: string | undefined;
}

/** The source for each address. @throws Refusal */
const SOURCES = {
  upload: ({ file, fileName }) => ({
    kind: 'upload',
    fileName,
    bytes: file ?? refuse('missing_file', 'Send a PNG in a part named "file".'),
  }),
  url: ({ fields }) => ({
    kind: 'url',
    url: v1SourceSchema.parse(fields).url ?? refuse('invalid_request', 'Send a url.'),
  }),
  user: ({ fields }) => {
    const { uuid, user } = v1SourceSchema.parse(fields);
    return { kind: 'user', user: uuid ?? user ?? refuse('invalid_request', 'Send the uuid of a player.') };
  },
} as const satisfies Record<Source['kind'], (given: Given) => Source>;

/** Reads a request to /generate/upload, url or user, in any accepted content type. @throws Refusal */
async function readV1Request(
  request: HttpRequest,
  kind: Source['kind'],
): Promise<Omit<GenerationRequest, 'caller' | 'via'>> {
  const { fields, file, fileName } = await readBody(request, { anyPart: true });
  const { query, params } = request as { query: Fields; params: Fields };
  const given = { fields: { ...present(query), ...present(fields), ...present(params) }, file, fileName };
  const options = v1OptionsSchema.parse(given.fields);
  return {
    source: SOURCES[kind](given),
    variant: options.variant ?? options.model ?? 'unknown',
    visibility: options.visibility ?? 'public',
    name: options.name || null,
    checkOnly: options.checkOnly ?? false,
  };
}

/** Clients send an empty value for an option they leave at its default. */
function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
}

function refuse(code: 'missing_file' | 'invalid_request', message: string): never {
  throw new Refusal(code, message);
}
