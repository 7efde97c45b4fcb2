import { z } from 'zod';
import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import {
  userAnswerSchema,
  userBodySchema,
  userChangeSchema,
  userListAnswerSchema,
  userListQuerySchema,
  userNameSchema,
} from '../../../../protocol/user.ts';
import { createUser, readUser, readUsers, setUser } from '../../../service/users/users.ts';
import { pageLinks, placeAfter } from '../../list-pages.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

const params = z.object({ name: userNameSchema });
const refusals = { 400: errorAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema };

export const listUsersRoute = route({
  method: 'GET',
  scopes: ['operator'],
  paths: ['/v2/account/users'],
  summary: 'The users of this service, by name (operator only)',
  query: userListQuerySchema,
  answers: { ...refusals, 200: userListAnswerSchema },
  handle: async ({ context, caller, query, warnings }) => {
    const users = await readUsers(context, caller, query);
    const next = placeAfter(users, query.size, ({ name }) => name);
    const links = pageLinks('/v2/account/users', query, next);
    return { status: 200, body: { ...envelope({ warnings, links }), users } };
  },
});

export const userRoute = route({
  method: 'GET',
  scopes: ['operator'],
  paths: ['/v2/account/users/:name'],
  summary: 'A user of this service (operator only)',
  params,
  answers: { ...refusals, 200: userAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params: { name }, warnings }) => {
    const user = await readUser(context, caller, name);
    return { status: 200, body: { ...envelope({ warnings, links: linksOf(name) }), user } };
  },
});

export const createUserRoute = route({
  method: 'POST',
  scopes: ['operator'],
  paths: ['/v2/account/users'],
  summary: 'Make a user (operator only)',
  bodies: { 'application/json': userBodySchema },
  answers: { ...refusals, 201: userAnswerSchema },
  handle: async ({ context, caller, request, warnings }) => {
    const user = await createUser(context, caller, userBodySchema.parse(request.body ?? {}));
    return { status: 201, body: { ...envelope({ warnings, links: linksOf(user.name) }), user } };
  },
});

export const setUserRoute = route({
  method: 'PATCH',
  scopes: ['operator'],
  paths: ['/v2/account/users/:name'],
  summary: 'Change the plan of a user, disable or enable the user (operator only)',
  params,
  bodies: { 'application/json': userChangeSchema },
  answers: { ...refusals, 200: userAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params: { name }, request, warnings }) => {
    const user = await setUser(context, caller, name, userChangeSchema.parse(request.body ?? {}));
    return { status: 200, body: { ...envelope({ warnings, links: linksOf(name) }), user } };
  },
});

function linksOf(name: string): Record<string, string> {
  return { self: `/v2/account/users/${name}`, keys: `/v2/account/keys?user=${name}` };
}
