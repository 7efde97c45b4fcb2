import { z } from 'zod';
import {
  capeAnswerSchema,
  capeChangeSchema,
  capeFieldsSchema,
  capeListAnswerSchema,
} from '../../../protocol/cape.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import { requireOperator } from '../../service/callers.ts';
import { Refusal } from '../../service/refusal.ts';
import { addCape, deleteCape, editCape, readAllCapes, readPublicCapes } from '../../service/skins/capes.ts';
import { readBody } from '../bodies.ts';
import type { Route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';
import { capeView } from '../views.ts';

const CAPES = '/v2/account/capes';
const forOperators = v2Routes({ scopes: ['operator'], links: { self: CAPES } });
const params = z.object({ uuid: uuidSchema });
const capeFile = z.string().meta({ format: 'binary', description: 'PNG of 64×32 pixels' });

export const capeListRoute = v2Routes()('GET /v2/capes', {
  summary: 'The capes that skins can be made with',
  answers: { 200: capeListAnswerSchema },
  cache: 'public',
  handle: async ({ context }) => ({
    capes: (await readPublicCapes(context)).map((cape) => capeView(cape, context.textureUrl)),
  }),
});

export const CAPE_ROUTES: readonly Route[] = [
  forOperators(`GET ${CAPES}`, {
    summary: 'All capes of this service, including hidden ones (operator only)',
    answers: { 200: capeListAnswerSchema },
    handle: async ({ context, caller }) => ({
      capes: (await readAllCapes(context, caller)).map((cape) => capeView(cape, context.textureUrl)),
    }),
  }),
  forOperators(`POST ${CAPES}`, {
    summary: 'Add a cape (operator only)',
    bodies: { 'multipart/form-data': capeFieldsSchema.extend({ file: capeFile }) },
    answers: { 201: capeAnswerSchema },
    handle: async ({ context, caller, request }) => {
      requireOperator(caller); // before reading a body that may be large
      const { fields, file } = await readBody(request);
      if (!file) throw new Refusal('missing_file', 'Send the cape as a PNG in a part named "file".');
      const cape = await addCape(context, caller, { image: file, ...capeFieldsSchema.parse(fields) });
      return { cape: capeView(cape, context.textureUrl) };
    },
  }),
  forOperators(`PATCH ${CAPES}/:uuid`, {
    summary: 'Rename, hide or show a cape (operator only)',
    params,
    body: capeChangeSchema,
    answers: { 200: capeAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, body }) => ({
      cape: capeView(await editCape(context, caller, uuid, body), context.textureUrl),
    }),
  }),
  forOperators(`DELETE ${CAPES}/:uuid`, {
    summary: 'Delete a cape; skins made with it keep it (operator only)',
    params,
    done: { code: 'cape_removed', message: 'The cape was deleted.' },
    handle: async ({ context, caller, params: { uuid } }) => await deleteCape(context, caller, uuid),
  }),
];
