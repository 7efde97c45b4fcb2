import { z } from 'zod';
import type { ServiceStats } from '../../../protocol/service.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import {
  type V1Stats,
  v1DelayAnswerSchema,
  v1ErrorAnswerSchema,
  v1ListSchema,
  v1SkinIdSchema,
  v1SkinSchema,
  v1StatsSchema,
} from '../../../protocol/v1.ts';
import { readRateLimit, viaFor } from '../../service/limits.ts';
import { Refusal } from '../../service/refusal.ts';
import {
  readPublicPage,
  readPublicSkins,
  readRandomSkins,
  readSkin,
  readSkinByNumber,
} from '../../service/skins/skins.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { versionHeader } from '../described-answers.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import { v1SkinView, waitView } from '../views.ts';

const USUAL_SIZE = 16;
const MAX_SIZE = 64;
/** Stands for the start of the list in place of a skin's UUID. */
const START = 'start';

const numberSchema = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform((text) => Math.max(1, Number(text)));
const placeSchema = z.union(
  [numberSchema, z.literal(START), uuidSchema],
  'a page from 1, or the UUID of a skin',
);

/** Ignores an invalid size and reduces one that is too large, as clients of version 1 expect. */
const sizeSchema = z
  .string()
  .optional()
  .transform((text) => Math.min(MAX_SIZE, Number.parseInt(text ?? '', 10) || USUAL_SIZE))
  .transform((size) => (size < 1 ? USUAL_SIZE : size));

const listing = {
  deprecated: true,
  query: z.object({
    size: sizeSchema,
    filter: z
      .string()
      .transform((text) => text.slice(0, 32))
      .optional(),
  }),
  answers: { 200: v1ListSchema },
  cache: 'public',
} as const;

export const V1_SKIN_ROUTES: readonly Route[] = [
  route('GET /get/uuid/:uuid', {
    summary: 'A skin (version 1)',
    deprecated: true,
    params: z.object({ uuid: uuidSchema }),
    answers: { 200: v1SkinSchema, 404: v1ErrorAnswerSchema },
    handle: async ({ context, caller, params }) => skinAnswer(await readSkin(context, caller, params.uuid)),
  }),
  route('GET /get/id/:id', {
    summary: 'A skin by its number (version 1): public ones, and your own',
    deprecated: true,
    params: z.object({ id: v1SkinIdSchema }),
    answers: { 200: v1SkinSchema, 301: null, 404: v1ErrorAnswerSchema },
    handle: async ({ context, caller, params }) =>
      typeof params.id === 'number'
        ? skinAnswer(await readSkinByNumber(context, caller, params.id))
        : {
            status: 301,
            body: undefined,
            headers: { ...versionHeader('v1'), Location: `/get/uuid/${params.id}` },
          },
  }),
  route('GET /get/delay', {
    summary: 'The delay between requests, and when the caller may send the next one (version 1)',
    deprecated: true,
    answers: { 200: v1DelayAnswerSchema },
    handle: async ({ context, caller }) => {
      const via = viaFor(caller, false);
      const { next, ...rateLimit } = await readRateLimit(context.db, caller, context.clock.now(), via);
      const { delay, delayInfo } = waitView(rateLimit.delay.millis);
      const body = {
        delay,
        ...delayInfo,
        next: Math.ceil(next.absolute / 1000),
        nextRelative: Math.ceil(next.relative / 1000),
        nextRequest: { time: next.absolute, relative: next.relative },
      };
      return { status: 200, body, headers: versionHeader(via) };
    },
  }),
  route('GET /get/list', {
    ...listing,
    summary: 'Public skins, newest first: the first page (version 1)',
    handle: async (call) => await numberedPage(call, 1),
  }),
  route('GET /get/list/:page', {
    ...listing,
    summary: 'Public skins, newest first, in pages from 1 or after a skin (version 1)',
    params: z.object({ page: placeSchema }),
    handle: async (call) => {
      const { page } = call.params;
      return typeof page === 'number' ? await numberedPage(call, page) : await pageAfter(call, page);
    },
  }),
  route('GET /get/random', {
    summary: 'A random public skin (version 1)',
    deprecated: true,
    answers: { 200: v1SkinSchema, 404: v1ErrorAnswerSchema },
    cache: 'none',
    handle: async ({ context }) => {
      const [skin] = await readRandomSkins(context, 1);
      if (!skin) throw new Refusal('skin_not_found');
      return skinAnswer(skin);
    },
  }),
  route('GET /get/stats', {
    summary: 'Statistics of the whole service (version 1)',
    deprecated: true,
    answers: { 200: v1StatsSchema },
    cache: 'public',
    handle: async ({ context, caller }) => {
      const { delay } = await readRateLimit(context.db, caller, context.clock.now(), viaFor(caller, false));
      const body = v1Stats(await context.stats.read(), Math.ceil(delay.millis / 1000));
      return { status: 200, body, headers: versionHeader('v1') };
    },
  }),
];

function skinAnswer(skin: SkinWithData): Answer {
  return { status: 200, body: v1SkinView(skin), headers: versionHeader('v1') };
}

interface ListQuery {
  readonly size: number;
  readonly filter?: string | undefined;
}

async function numberedPage(
  { context, caller, query }: Call<unknown, ListQuery>,
  page: number,
): Promise<Answer> {
  const { skins, total } = await readPublicPage(context, caller, { page, ...query });
  const counted = total !== undefined && { amount: Math.ceil(total / query.size), total };
  return listAnswer(skins, { index: page, ...counted }, query);
}

async function pageAfter(
  { context, caller, query }: Call<unknown, ListQuery>,
  anchor: string,
): Promise<Answer> {
  const after = anchor === START ? undefined : anchor;
  const { skins } = await readPublicSkins(context, caller, { ...query, after });
  return listAnswer(skins, { anchor }, query);
}

function listAnswer(skins: readonly SkinWithData[], page: object, { filter }: ListQuery): Answer {
  const body = { skins: skins.map(v1ListItem), page, ...(filter !== undefined && { filter }) };
  return { status: 200, body, headers: versionHeader('v1') };
}

function v1ListItem({ id, uuid, name, url, variant, data_created_at }: SkinWithData) {
  return { id, uuid, name: name ?? '', url, time: Math.floor(data_created_at / 1000), variant };
}

/** Reports every number twice: in the older form at the top level, in the newer one below. */
function v1Stats({ generated, generator, accounts }: ServiceStats, delay: number): V1Stats {
  const { time, total } = generated;
  const [hour, day, month, year] = [time.hour, time.day, time.month, time.year].map(
    ({ current }) => current.new + current.duplicate,
  ) as [number, number, number, number];
  const all = { total: total.new + total.duplicate, unique: total.new, duplicate: total.duplicate };
  const rate = Math.round(time.hour.successRate * 10) / 1000;
  const linked = accounts.total.global;
  const usable = accounts.usable.global;
  return {
    server: 'skinsmith',
    delay,
    account: {
      global: { total: linked, healthy: usable, usable },
      local: { total: linked, usable },
    },
    skin: all,
    generate: { time: { year, month, day, hour }, source: {}, successRate: rate },
    accounts: linked,
    serverAccounts: linked,
    healthyAccounts: usable,
    useableAccounts: usable,
    ...all,
    successRate: rate,
    avgGenerateDuration: generator.duration.generate,
    lastYear: year,
    lastMonth: month,
    lastDay: day,
    lastHour: hour,
  };
}
