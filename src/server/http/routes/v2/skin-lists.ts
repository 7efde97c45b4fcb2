import type { z } from 'zod';
import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { skinListAnswerSchema, skinListQuerySchema } from '../../../../protocol/skin.ts';
import { readOwnSkins, readPublicSkins, type SkinList } from '../../../service/skins.ts';
import { type Answer, type Call, route } from '../../route.ts';
import { envelope, skinListItem } from '../../views.ts';

type Page = z.output<typeof skinListQuerySchema>;

export const publicSkinsRoute = route({
  method: 'GET',
  paths: ['/v2/skins'],
  summary: 'Public skins, newest first; a page may be short, links.next leads on to the end',
  query: skinListQuerySchema,
  answers: { 200: skinListAnswerSchema, 400: errorAnswerSchema },
  cache: 'public',
  handle: async (call) =>
    listAnswer('/v2/skins', call, await readPublicSkins(call.context, call.caller, call.query)),
});

export const ownSkinsRoute = route({
  method: 'GET',
  paths: ['/v2/me/skins'],
  summary: "The caller's own skins of every visibility, newest first",
  query: skinListQuerySchema,
  answers: { 200: skinListAnswerSchema, 400: errorAnswerSchema, 401: errorAnswerSchema },
  handle: async (call) =>
    listAnswer('/v2/me/skins', call, await readOwnSkins(call.context, call.caller, call.query)),
});

function listAnswer(
  path: string,
  { query, warnings }: Call<unknown, Page>,
  { skins, next }: SkinList,
): Answer {
  const { size, filter } = query;
  const address = (after: string | undefined) => {
    const parts = new URLSearchParams({
      size: String(size),
      ...(filter && { filter }),
      ...(after && { after }),
    });
    return `${path}?${parts}`;
  };
  const links = { self: address(query.after), ...(next !== undefined && { next: address(next) }) };
  const body = { ...envelope({ warnings, links }), skins: skins.map(skinListItem) };
  return { status: 200, body: { ...body, ...(filter !== undefined && { search: filter }) } };
}
