import { z } from 'zod';
import { skinNameSchema } from '../../../../protocol/generate.ts';
import { uuidSchema, visibilitySchema } from '../../../../protocol/skin.ts';
import { MAX_BULK } from '../../../../protocol/skin-edit.ts';
import { deleteSkinsPage, mySkinsPage, nothingToDoPage } from '../../../pages/views/my-skins.ts';
import { editSkins, removeSkins } from '../../../service/skins/changes.ts';
import { readOwnSkins } from '../../../service/skins/skins.ts';
import { exportAnswer } from '../../downloads/download.ts';
import { orNone, several } from '../../pages/form-fields.ts';
import { type PageRoute, pageRoute, seeOther } from '../../pages/page-route.ts';

const PATH = '/ui/skins';
/** Skins on one page. */
const SIZE = 48;

const query = z.object({
  sort: z.enum(['newest', 'popular']).default('newest'),
  filter: z.string().max(48).default(''),
  visibility: z.union([z.literal(''), visibilitySchema]).default(''),
  variant: z.enum(['', 'classic', 'slim']).default(''),
  after: z.string().max(64).optional(),
  changed: z.coerce.number().int().min(0).max(MAX_BULK).optional().catch(undefined),
  deleted: z.coerce.number().int().min(0).max(MAX_BULK).optional().catch(undefined),
});

export const mySkinsRoute = pageRoute({
  method: 'GET',
  path: PATH,
  isFor: 'users',
  scopes: ['read'],
  query,
  handle: async ({ context, caller, query: { after, changed, deleted, ...choice } }) => {
    const { sort, filter, visibility, variant } = choice;
    const list = await readOwnSkins(context, caller, {
      size: SIZE,
      after,
      filter: filter || undefined,
      visibility: visibility || undefined,
      variant: variant || undefined,
      sort: sort === 'popular' ? sort : undefined,
    });
    const { skins, next, total } = list;
    return mySkinsPage({
      skins,
      next,
      total,
      ...choice,
      done: doneOf(changed, deleted),
      origin: context.publicUrl(),
    });
  },
});

function doneOf(changed: number | undefined, deleted: number | undefined) {
  if (changed !== undefined) return { act: 'changed', count: changed } as const;
  return deleted === undefined ? undefined : ({ act: 'deleted', count: deleted } as const);
}

/** The files of /v2/me/skins.zip and .lock for the person who is signed in. Empty fields of the search are left out. */
export const exportPageRoutes: readonly PageRoute[] = (['zip', 'lock'] as const).map((kind) => {
  const path = `${PATH}/export.${kind}` as const;
  return pageRoute({
    method: 'GET',
    path,
    isFor: 'users',
    scopes: ['read'],
    query: query.pick({ filter: true, visibility: true, variant: true, after: true }),
    handle: async ({ query: { after, filter, visibility, variant }, ...call }) => {
      const chosen = {
        after,
        filter: filter || undefined,
        visibility: visibility || undefined,
        variant: variant || undefined,
      };
      return await exportAnswer(kind, path, { ...call, query: chosen });
    },
  });
});

const formSchema = z.object({
  act: z.enum(['change', 'delete', 'delete-for-good']),
  skin: several(uuidSchema).pipe(z.array(z.string()).max(MAX_BULK)),
  visibility: orNone(visibilitySchema),
  name: orNone(skinNameSchema),
});

export const mySkinsFormRoute = pageRoute({
  method: 'POST',
  path: PATH,
  isFor: 'users',
  scopes: ['skins'],
  handle: async ({ context, caller, request }) => {
    const { act, skin: skins, visibility, name } = formSchema.parse(request.body ?? {});
    if (skins.length === 0) return nothingToDoPage('No skin was selected.');
    if (act === 'delete') return deleteSkinsPage(skins, context.publicUrl());
    if (act === 'delete-for-good') {
      const { done } = await removeSkins(context, caller, skins);
      return seeOther(`${PATH}?deleted=${done.length}`);
    }
    if (visibility === undefined && name === undefined)
      return nothingToDoPage('Choose a visibility or a new name.');
    const { done } = await editSkins(context, caller, { skins, visibility, name });
    return seeOther(`${PATH}?changed=${done.length}`);
  },
});
