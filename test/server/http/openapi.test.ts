import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { describeApi } from '../../../src/server/http/openapi.ts';
import { ROUTES } from '../../../src/server/http/routes.ts';
import { skinPng } from '../drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../running-server.ts';
import type { Heard, TestCaller } from '../test-caller.ts';

guardAgainstLeaks();

interface Operation {
  readonly operationId: string;
  readonly parameters: { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Record<string, { readonly content: Contents }>;
}
type Contents = Record<string, { readonly schema?: object }>;
interface Description {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

const DESCRIPTION = describeApi(ROUTES) as unknown as Description;
const OPERATIONS = Object.entries(DESCRIPTION.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function compile(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { binary: true } });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

function schemasOf({ parameters, requestBody, responses }: Operation): object[] {
  const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content }) => content)];
  const bodies = contents.flatMap((content) => Object.values(content)).flatMap(({ schema }) => schema ?? []);
  return [...parameters.map(({ schema }) => schema), ...bodies];
}

/** The refusal of one stream too many. */
async function streamTooMany(caller: TestCaller): Promise<Heard> {
  for (let n = 0; n < 20; n++) await caller.events();
  return await caller.get('/v2/queue/events');
}

test('The service describes itself as it was built', async () => {
  const { anonymous } = await runServer();
  const { status, body } = await anonymous().get('/openapi.json');
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(DESCRIPTION))]);
  expect(DESCRIPTION.openapi).toBe('3.1.0');
});

test('Every address of every route is described', () => {
  const described = OPERATIONS.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  const routes = ROUTES.flatMap(({ method, paths }) =>
    paths.map((path) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  expect(described.toSorted()).toEqual(routes.toSorted());
});

test('Every operation has an id of its own and every place in a path its parameter', () => {
  const ids = OPERATIONS.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of OPERATIONS) {
    const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
    expect(parameters).toEqual(places);
  }
});

test('The stream of events and the header that makes a submission repeatable are described', () => {
  const events = DESCRIPTION.paths['/v2/queue/events']?.['get'];
  expect(Object.keys(events?.responses['200']?.content ?? {})).toEqual(['text/event-stream']);
  for (const path of ['/v2/queue', '/queue', '/v2/generate']) {
    const headers = DESCRIPTION.paths[path]?.['post']?.parameters.filter((one) => one.in === 'header');
    expect(headers?.map(({ name }) => name)).toEqual(['idempotency-key']);
  }
});

test.each(OPERATIONS)('Every schema of $method $path is one that a validator takes', ({ operation }) => {
  for (const schema of schemasOf(operation)) expect(() => compile(schema)).not.toThrow();
});

test('The answers of the service are as it describes them', async () => {
  const { owner } = await runServer();
  const made = await owner.upload('/v2/generate', skinPng(1), { name: 'Smith' });
  const answers: [method: string, path: string, heard: Heard][] = [
    ['post', '/v2/generate', made],
    ['post', '/v2/generate', await owner.json('/v2/generate', {})],
    ['post', '/v2/queue', await owner.upload('/v2/queue', skinPng(1))],
    ['post', '/queue', await owner.upload('/queue', skinPng(2))],
    ['get', '/v2/queue', await owner.get('/v2/queue')],
    ['get', '/v2/queue/events', await streamTooMany(owner)],
    ['get', '/v2/queue/{jobId}', await owner.get(`/v2/queue/none`)],
    ['get', '/v2/skins', await owner.get('/v2/skins')],
    ['get', '/v2/skins/{uuid}', await owner.get(`/v2/skins/${made.body.skin?.uuid}`)],
    ['get', '/v2/me', await owner.get('/v2/me')],
    ['get', '/v2/me/skins', await owner.get('/v2/me/skins')],
    ['get', '/v2/delay', await owner.get('/v2/delay')],
    ['get', '/v2/account/keys', await owner.get('/v2/account/keys')],
    ['post', '/v2/account/keys', await owner.json('/v2/account/keys', {})],
    ['patch', '/v2/account/keys/{id}', await owner.patch('/v2/account/keys/none', { name: 'x' })],
    ['get', '/v2/account/me', await owner.get('/v2/account/me')],
    ['get', '/v2/account/plans', await owner.get('/v2/account/plans')],
    ['post', '/v2/account/users', await owner.json('/v2/account/users', { name: 'bob' })],
    ['get', '/v2/account/users', await owner.get('/v2/account/users')],
    ['get', '/v2/account/users/{name}', await owner.get('/v2/account/users/bob')],
    ['patch', '/v2/account/users/{name}', await owner.patch('/v2/account/users/bob', { plan: 'pro' })],
    ['get', '/', await owner.get('/')],
    ['get', '/health', await owner.get('/health')],
  ];
  for (const [method, path, { status, body }] of answers) {
    const schema = DESCRIPTION.paths[path]?.[method]?.responses[status]?.content['application/json']?.schema;
    expect(schema, `${method} ${path} ${status} is described`).toBeDefined();
    const validate = compile(schema ?? {});
    validate(body);
    expect(validate.errors, `${method} ${path} ${status}`).toBeNull();
  }
});
