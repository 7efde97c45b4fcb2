import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, pageQuerySchema } from '../../../protocol/envelope.ts';
import {
  decisionSchema,
  moderatedSetAnswerSchema,
  reportBodySchema,
  setDecisionSchema,
} from '../../../protocol/moderation.ts';
import {
  reservedNamesAnswerSchema,
  type SkinSetSummary,
  setAnswerSchema,
  setBodySchema,
  setEditSchema,
  setListAnswerSchema,
  setPackQuerySchema,
  setReferenceSchema,
  slugOf,
} from '../../../protocol/set.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import { groupInput, lineupInput } from '../../pictures/renders.ts';
import { Refusal } from '../../service/refusal.ts';
import { readReservedNames, releaseName } from '../../service/skins/set-names.ts';
import {
  createSet,
  decideOnSet,
  deleteAnySet,
  deleteSet,
  editSet,
  type FullSet,
  isForEverybody,
  isSeenByAll,
  noSuchSet,
  pictured,
  readOwnSets,
  readPublicSets,
  readSet,
  reportSet,
  type SetList,
} from '../../service/skins/sets.ts';
import type { SetRow } from '../../store/schema/tables.ts';
import { EXPORTS, setPackAnswer, skinsAnswer, storedPackAnswer } from '../downloads.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';
import { pageLinks, skinListItem } from '../views.ts';
import { headersFor, PRIVATE_ANSWER, renderAnswer } from './pictures.ts';

const params = z.object({ set: setReferenceSchema });
const SET = '/v2/sets/:set';
const OWN = '/v2/me/sets';

/** Answers about a set that is named: there is none, or there was one. */
const MISSING = { 404: errorAnswerSchema, 410: errorAnswerSchema } as const;

const exportRoutes = (['zip', 'lock'] as const).map((kind) =>
  route(`GET ${SET}/skins.${kind}`, {
    summary: `The skins of a set as ${kind === 'zip' ? 'a zip with their pictures and skins.lock' : 'skins.lock'}`,
    params,
    answers: { 200: EXPORTS[kind].type, ...MISSING },
    isStreamed: true,
    cache: 'none',
    handle: async (call) => {
      const read = async () => {
        const { set, skins } = await setOf(call);
        return { file: set.slug, skins };
      };
      return await skinsAnswer(kind, call, read);
    },
  }),
);

const ANY_SET = '/v2/account/sets/:uuid';
const forEveryone = v2Routes();
const forOwners = v2Routes({ scopes: ['skins'], needsKey: true });
const forOperators = v2Routes({ scopes: ['operator'] });
const anySetParams = z.object({ uuid: uuidSchema });

export const SET_ROUTES: readonly Route[] = [
  forEveryone('GET /v2/sets', {
    summary: 'Public sets of skins, newest first; size is the number of skins that the caller may see',
    query: pageQuerySchema,
    isStrict: true,
    answers: { 200: setListAnswerSchema },
    handle: async ({ context, caller, query }) =>
      listOf('/v2/sets', query, await readPublicSets(context, caller, pageOf(query))),
  }),
  forEveryone(`GET ${OWN}`, {
    scopes: ['read'],
    needsKey: true,
    summary: "The caller's own sets of every visibility, newest first",
    query: pageQuerySchema,
    isStrict: true,
    answers: { 200: setListAnswerSchema },
    handle: async ({ context, caller, query }) =>
      listOf(OWN, query, await readOwnSets(context, caller, pageOf(query))),
  }),
  forOwners('POST /v2/sets', {
    summary: 'Make a set of up to 500 skins that the caller may see',
    body: setBodySchema,
    answers: { 201: setAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, body }) => setContent(await createSet(context, caller, body)),
  }),
  forEveryone(`GET ${SET}`, {
    summary: 'A set with the skins in it that the caller may see; public ones and your own by name too',
    params,
    answers: { 200: setAnswerSchema, ...MISSING },
    handle: async (call) => setContent(await setOf(call)),
  }),
  forOwners(`PATCH ${SET}`, {
    summary: "Change a set's name, visibility or skins (its owner only)",
    params,
    body: setEditSchema,
    answers: { 200: setAnswerSchema, 404: errorAnswerSchema },
    done: { code: 'updated', message: 'The set was changed.' },
    handle: async ({ context, caller, params, body }) =>
      setContent(await editSet(context, caller, { ...body, reference: params.set })),
  }),
  forOwners(`DELETE ${SET}`, {
    summary: 'Delete a set (its owner only); its skins stay',
    params,
    links: { list: OWN },
    done: { code: 'deleted', message: 'The set was deleted.' },
    handle: async ({ context, caller, params }) => await deleteSet(context, caller, params.set),
  }),
  forEveryone('GET /v2/me/set-names', {
    scopes: ['read'],
    needsKey: true,
    summary: "The names that are reserved for the caller, because the caller's public sets had them",
    answers: { 200: reservedNamesAnswerSchema },
    links: { list: OWN },
    handle: async ({ context, caller }) => {
      const names = await readReservedNames(context, caller);
      return { names: names.map(({ slug, uuid }) => ({ name: slug, set: uuid })) };
    },
  }),
  forOwners('DELETE /v2/set-names/:name', {
    summary: 'Let everyone have a reserved name of a set (the user for whom it is reserved, or an operator)',
    params: z.object({ name: z.string().max(64).transform(slugOf) }),
    links: { list: '/v2/me/set-names' },
    done: { code: 'released', message: 'The name was released.' },
    handle: async ({ context, caller, params }) => await releaseName(context, caller, params.name),
  }),
  ...exportRoutes,
  route(`GET ${SET}/pack.zip`, {
    summary: 'The resource pack of a set, for Minecraft 1.21.9 and later; its entity tag is its SHA-1',
    params,
    query: setPackQuerySchema,
    isStrict: true,
    answers: { 200: 'application/zip', ...MISSING },
    handle: async (call) => await packAnswer('resource', call),
  }),
  // For players, who have no key: a game server's settings name the pack of `serve --pack` by its bytes.
  route('GET /packs/:digest{[0-9a-f]{40}\\.zip}', {
    summary: 'The resource pack that the operator serves, for everyone',
    params: z.object({ digest: z.string().regex(/^[0-9a-f]{40}\.zip$/) }),
    answers: { 200: 'application/zip', 404: errorAnswerSchema },
    authenticated: false,
    handle: async ({ context, request, params }) => {
      const sha1 = params.digest.slice(0, -'.zip'.length);
      const pack = await context.findPack(sha1);
      if (!pack) throw new Refusal('not_found');
      return storedPackAnswer(request, sha1, pack);
    },
  }),
  // A short address that a game server's settings can hold.
  route('GET /packs/:file', {
    summary: 'The same at a short address: the name of a set, or its UUID, and .zip',
    params: z.object({
      file: z
        .string()
        .max(68)
        .regex(/\.zip$/i, 'not the name of a zip'),
    }),
    query: setPackQuerySchema,
    isStrict: true,
    answers: { 200: 'application/zip', ...MISSING },
    handle: async (call) => {
      const set = setReferenceSchema.parse(call.params.file.slice(0, -'.zip'.length));
      return await packAnswer('resource', { ...call, params: { set } });
    },
  }),
  route(`GET ${SET}/datapack.zip`, {
    summary: "The data pack of a set's resource pack: the function lineup summons all of its skins",
    params,
    query: setPackQuerySchema,
    isStrict: true,
    answers: { 200: 'application/zip', ...MISSING },
    handle: async (call) => await packAnswer('data', call),
  }),
  // What is drawn on the card of a set: what everyone sees.
  route(`GET ${SET}/card.png`, {
    summary: 'The link-preview picture of a set: its first 24 skins side by side',
    params,
    answers: { 200: 'image/png', ...MISSING },
    cache: 'public',
    handle: async (call) => {
      const { context } = call;
      const full = await setOf(call);
      const seen = full.skins.filter((skin) => isSeenByAll(skin, full.set));
      if (full.set.visibility === 'private' || seen.length === 0) throw noSuchSet(call.params.set);
      return await renderAnswer(call, await groupInput(context, seen), headersFor(full.set.visibility));
    },
  }),
  route(`GET ${SET}/group.png`, {
    summary: 'The first 60 skins of a set that the caller may see, side by side on a transparent background',
    params,
    answers: { 200: 'image/png', ...MISSING },
    cache: 'public',
    handle: async (call) => {
      const full = await setOf(call);
      return await renderAnswer(call, await lineupInput(call.context, pictured(full)), headersOf(full));
    },
  }),
  forEveryone(`POST ${SET}/report`, {
    summary: 'Report a set to the operators',
    verifyCaller: (caller, { webPages }) => webPages.verifyMay('report', caller),
    params,
    body: reportBodySchema,
    answers: { 200: envelopeSchema, ...MISSING },
    done: { code: 'set_reported', message: 'Report sent.' },
    handle: async ({ context, caller, params, body }) => {
      await reportSet(context, caller, { ...body, reference: params.set });
      return { links: { set: `/v2/sets/${params.set}` } };
    },
  }),
  forOperators(`PATCH ${ANY_SET}`, {
    summary:
      "Hide any user's set or show it again, or clear its name; hiding closes its reports (operator only)",
    params: anySetParams,
    body: setDecisionSchema,
    answers: { 200: moderatedSetAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body }) => ({
      links: { set: `/v2/sets/${params.uuid}` },
      set: await decideOnSet(context, caller, { ...params, ...body }),
    }),
  }),
  forOperators(`DELETE ${ANY_SET}`, {
    summary: "Delete any user's set and close its reports; its skins stay (operator only)",
    params: anySetParams,
    query: decisionSchema,
    links: { log: '/v2/account/log' },
    done: { code: 'deleted', message: 'The set was deleted.' },
    handle: async ({ context, caller, params, query }) =>
      await deleteAnySet(context, caller, { ...params, ...query }),
  }),
];

type ListQuery = z.output<typeof pageQuerySchema>;

function pageOf({ after, size }: ListQuery) {
  return { before: after, size };
}

function listOf(path: string, query: ListQuery, { sets, next }: SetList) {
  const links = pageLinks(path, query, next === undefined ? undefined : String(next));
  return { links, sets: sets.map((set) => setView(set, set.skins)) };
}

type SetCall = Pick<Call<z.output<typeof params>>, 'context' | 'caller' | 'params'>;

/** @throws Refusal `set_not_found` */
async function setOf({ context, caller, params }: SetCall): Promise<FullSet> {
  return await readSet(context, caller, params.set);
}

type PackCall = SetCall & Pick<Call<unknown, z.output<typeof setPackQuerySchema>>, 'query' | 'request'>;

async function packAnswer(kind: 'resource' | 'data', call: PackCall): Promise<Answer> {
  return await setPackAnswer(call, { ...call.query, kind, read: async () => await setOf(call) });
}

function headersOf(full: FullSet) {
  return isForEverybody(full) ? headersFor(full.set.visibility) : PRIVATE_ANSWER;
}

function setContent({ set, skins }: FullSet) {
  const self = `/v2/sets/${set.uuid}`;
  const links = { self, zip: `${self}/skins.zip`, lock: `${self}/skins.lock`, pack: `${self}/pack.zip` };
  return { links, set: setView(set, skins.length), skins: skins.map(skinListItem) };
}

function setView(
  { uuid, name, slug, visibility, created_at, changed_at }: SetRow,
  size: number,
): SkinSetSummary {
  return { uuid, name, slug, visibility, size, createdAt: created_at, changedAt: changed_at };
}
