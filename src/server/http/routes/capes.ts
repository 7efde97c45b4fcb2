import { z } from 'zod';
import {
  capeAnswerSchema,
  capeChangeSchema,
  capeFieldsSchema,
  capeListAnswerSchema,
} from '../../../protocol/cape.ts';
import { envelopeSchema, errorAnswerSchema } from '../../../protocol/envelope.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import { requireOperator } from '../../service/callers.ts';
import { Refusal } from '../../service/refusal.ts';
import { addCape, deleteCape, editCape, readAllCapes, readPublicCapes } from '../../service/skins/capes.ts';
import { readBody } from '../bodies.ts';
import { type Route, route } from '../route.ts';
import { capeView, v2Answer } from '../views.ts';

export const capeListRoute = route({
  method: 'GET',
  paths: ['/v2/capes'],
  summary: 'The capes that skins can be made with',
  answers: { 200: capeListAnswerSchema },
  cache: 'public',
  handle: async ({ context, warnings }) => {
    const capes = (await readPublicCapes(context)).map((cape) => capeView(cape, context.textureUrl));
    return v2Answer({ warnings, links: { self: '/v2/capes' } }, { capes });
  },
});

const links = { self: '/v2/account/capes' };
const params = z.object({ uuid: uuidSchema });
const capeFile = z.string().meta({ format: 'binary', description: 'PNG of 64×32 pixels' });

export const CAPE_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: ['/v2/account/capes'],
    summary: 'All capes of this service, including hidden ones (operator only)',
    answers: { 200: capeListAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const capes = (await readAllCapes(context, caller)).map((cape) => capeView(cape, context.textureUrl));
      return v2Answer({ warnings, links }, { capes });
    },
  }),
  route({
    method: 'POST',
    scopes: ['operator'],
    paths: ['/v2/account/capes'],
    summary: 'Add a cape (operator only)',
    bodies: { 'multipart/form-data': capeFieldsSchema.extend({ file: capeFile }) },
    answers: { 201: capeAnswerSchema },
    handle: async ({ context, caller, request, warnings }) => {
      requireOperator(caller); // before reading a body that may be large
      const { fields, file } = await readBody(request);
      if (!file) throw new Refusal('missing_file', 'Send the cape as a PNG in a part named "file".');
      const cape = await addCape(context, caller, { image: file, ...capeFieldsSchema.parse(fields) });
      return v2Answer({ warnings, links }, { cape: capeView(cape, context.textureUrl) }, 201);
    },
  }),
  route({
    method: 'PATCH',
    scopes: ['operator'],
    paths: ['/v2/account/capes/:uuid'],
    summary: 'Rename, hide or show a cape (operator only)',
    params,
    body: capeChangeSchema,
    answers: { 200: capeAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, body, warnings }) => {
      const cape = await editCape(context, caller, uuid, body);
      return v2Answer({ warnings, links }, { cape: capeView(cape, context.textureUrl) });
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['operator'],
    paths: ['/v2/account/capes/:uuid'],
    summary: 'Delete a cape; skins made with it keep it (operator only)',
    params,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, warnings }) => {
      await deleteCape(context, caller, uuid);
      const messages = [{ code: 'cape_removed', message: 'The cape was deleted.' }];
      return v2Answer({ warnings, messages, links });
    },
  }),
];
