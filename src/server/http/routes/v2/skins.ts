import { z } from 'zod';
import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import {
  skinAnswerSchema,
  skinListAnswerSchema,
  skinListQuerySchema,
  skinSchema,
  uuidSchema,
} from '../../../../protocol/skin.ts';
import { readOwnSkins, readPublicSkins, readSkin } from '../../../service/skins.ts';
import type { SkinWithData } from '../../../store/skins.ts';
import { type Answer, type Call, route } from '../../route.ts';
import { envelope, skinListItem, skinView } from '../../views.ts';

type Page = z.output<typeof skinListQuerySchema>;

export const skinRoute = route({
  method: 'GET',
  paths: ['/v2/skins/:uuid'],
  summary: 'A skin with its value and signature',
  params: z.object({ uuid: uuidSchema }),
  answers: { 200: skinAnswerSchema.extend(skinSchema.shape), 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => {
    const skin = skinView(await readSkin(context, caller, params.uuid));
    const links = { self: `/v2/skins/${skin.uuid}` };
    // The published contract has the fields at the top, the service's clients read `skin`: both are there.
    return { status: 200, body: { ...skin, ...envelope({ warnings, links }), skin } };
  },
});

export const publicSkinsRoute = route({
  method: 'GET',
  paths: ['/v2/skins'],
  summary: 'Public skins, newest first',
  query: skinListQuerySchema,
  answers: { 200: skinListAnswerSchema },
  handle: async (call) => listAnswer('/v2/skins', call, await readPublicSkins(call.context, call.query)),
});

export const ownSkinsRoute = route({
  method: 'GET',
  paths: ['/v2/me/skins'],
  summary: "The caller's own skins of every visibility, newest first",
  query: skinListQuerySchema,
  answers: { 200: skinListAnswerSchema, 401: errorAnswerSchema },
  handle: async (call) =>
    listAnswer('/v2/me/skins', call, await readOwnSkins(call.context, call.caller, call.query)),
});

function listAnswer(path: string, { query, warnings }: Call<unknown, Page>, skins: SkinWithData[]): Answer {
  const { size, filter } = query;
  const address = (after: string | undefined) => {
    const parts = new URLSearchParams({
      size: String(size),
      ...(filter && { filter }),
      ...(after && { after }),
    });
    return `${path}?${parts}`;
  };
  const last = skins.length === size ? skins.at(-1) : undefined;
  const links = { self: address(query.after), ...(last && { next: address(last.uuid) }) };
  return { status: 200, body: { ...envelope({ warnings, links }), skins: skins.map(skinListItem) } };
}
