import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test, vi } from 'vitest';
import { App } from '../../../src/server/http/app.ts';
import { describeApi, describedAddress } from '../../../src/server/http/openapi.ts';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import { type Operation, openApiDocument } from '../../support/http/openapi-rules.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const DESCRIPTION = JSON.parse(JSON.stringify(await describeApi(ROUTES)));
const { paths: PATHS, components: COMPONENTS } = openApiDocument.parse(DESCRIPTION);
const OPERATIONS = Object.entries(PATHS).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function namesOf({ parameters }: Operation, place: string): string[] {
  return parameters.flatMap((one) => ('name' in one && one.in === place ? [one.name] : []));
}

/** Every value under a key of this name, however deep. */
function all(key: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) return [];
  return Object.entries(within).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...all(key, value),
  ]);
}

test('The service describes itself as it was built', async () => {
  const { anonymous } = await runServer();
  for (const path of ['/openapi.json', '/v2/openapi.json']) {
    const { status, body } = await anonymous().get(path);
    expect([status, body]).toEqual([200, DESCRIPTION]);
  }
});

test('The API description is compressed for clients that accept it, and not sent again to clients that have it', async () => {
  const { url } = await runServer();
  const ask = async (headers: Record<string, string>) => await fetch(`${url}/openapi.json`, { headers });
  const plain = await ask({ 'accept-encoding': 'identity' });
  const gzipped = await ask({ 'accept-encoding': 'br, gzip' });
  expect([plain, gzipped].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
  expect(Number(gzipped.headers.get('content-length'))).toBeLessThan(100_000);
  expect(await gzipped.json()).toEqual(await plain.json());
  const tag = String(plain.headers.get('etag'));
  expect([tag.slice(0, 3), gzipped.headers.get('etag')]).toEqual(['W/"', tag]);
  expect(gzipped.headers.get('vary')).toBe('Authorization, Origin, Accept-Encoding');
  expect((await ask({ 'if-none-match': tag })).status).toBe(304);
});

test('The API description keeps to the rules of OpenAPI 3.1', () => {
  expect(openApiDocument.safeParse(DESCRIPTION).error).toBeUndefined();
});

test('Every schema that the API description refers to exists, and none is unused', () => {
  const given = Object.entries(COMPONENTS).flatMap(([kind, parts]) =>
    kind === 'securitySchemes' ? [] : Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  expect([...new Set(all('$ref', DESCRIPTION))].toSorted()).toEqual(given.toSorted());
});

test('A strict validator accepts every schema in the API description', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { binary: true } });
  addFormats.default(ajv);
  ajv.addVocabulary(Object.keys(DESCRIPTION)); // the document is no schema, its parts are
  ajv.addSchema(DESCRIPTION, 'own');
  const schemas = [...all('schema', DESCRIPTION), ...Object.values(COMPONENTS.schemas)];
  const distinct = new Set(schemas.map((schema) => JSON.stringify(schema)));
  expect(distinct.size).toBeGreaterThan(50);
  for (const text of sampled([...distinct], 8)) {
    const schema = JSON.parse(text.replaceAll('"#/', '"own#/'));
    expect(() => ajv.compile(schema), text).not.toThrow();
  }
});

test('Every route is described, including HEAD, and nothing else is', async () => {
  const on = vi.spyOn(App.prototype, 'on');
  new App({ context: {}, limits: {} } as ConstructorParameters<typeof App>[0]); // nothing is asked
  const found = on.mock.calls.map(([method, path]) => `${method} ${describedAddress(path)}`);
  on.mockRestore();
  const heads = OPERATIONS.filter(({ method }) => method === 'head');
  const described = OPERATIONS.filter(({ method }) => method !== 'head').map(
    ({ path, method }) => `${method.toUpperCase()} ${path}`,
  );
  expect(described.toSorted()).toEqual(found.toSorted());
  const { owner } = await runServer();
  for (const { paths, method, changes } of ROUTES) {
    if (method !== 'GET') continue;
    const hasHead = heads.some(({ path }) => path === describedAddress(paths[0]));
    expect([paths[0], hasHead]).toEqual([paths[0], !changes]);
    if (!changes) continue;
    const path = paths[0].replaceAll(/:\w+/g, '0'.repeat(32));
    expect([path, (await owner.send('HEAD', path)).status]).toEqual([path, 404]);
  }
});

test('Every operation has an id of its own and every place in a path its parameter', () => {
  const ids = OPERATIONS.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of OPERATIONS) {
    expect(namesOf(operation, 'path')).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  }
});

test.each(ROUTES)('Every refusal of $method $paths.0 is described', (route) => {
  const { method, paths, authenticated, bodies, params, query } = route;
  for (const path of paths) {
    const operation = PATHS[describedAddress(path)]?.[method.toLowerCase() as 'get'];
    const needed = [
      ...(authenticated ? [403] : []),
      ...((params ?? query ?? bodies) ? [400] : []),
      ...(method === 'GET' ? [] : [400, 408, 413, 415]),
      ...[414, 431, 500, 503],
    ];
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(needed.map(String)));
    expect(operation?.requestBody === undefined).toBe(bodies === undefined);
    const isOld = /^\/(?:generate|get|render|validate)\//.test(paths[0]);
    const inQuery = isOld ? [{}, { apiKey: [] }, { keyInQuery: [] }] : undefined;
    expect(operation?.security).toEqual(authenticated ? inQuery : []);
  }
});

test('The headers of answers are described: limits, Retry-After, Location, tags', () => {
  const headers = (path: string, method: 'get' | 'post', status: number) =>
    Object.keys(PATHS[path]?.[method]?.responses[status]?.headers ?? {});
  const limits = ['Limit', 'Remaining', 'Reset', 'Delay', 'NextRequest'].map((name) => `X-RateLimit-${name}`);
  const delays = ['MineSkin-Delay', 'MineSkin-Delay-Seconds', 'MineSkin-Delay-Millis'];
  const ALL = [
    'X-Request-Id',
    ...['Server', 'Breadcrumb', 'Api-Version', 'Version'].map((name) => `MineSkin-${name}`),
  ];
  expect(headers('/v2/queue', 'post', 202)).toEqual([...ALL, ...limits]);
  expect(headers('/v2/queue', 'post', 429)).toEqual([...ALL, 'Retry-After', ...limits]);
  expect(headers('/generate/url', 'post', 200)).toEqual([
    ...ALL,
    ...limits,
    ...delays,
    'X-MineSkin-Server',
    'X-MineSkin-Breadcrumb',
    'MineSkin-Api-Deprecated',
  ]);
  expect(headers('/v2/skins/{uuid}', 'get', 304)).toEqual([...ALL, 'ETag']);
  expect(headers('/v2/skins/{uuid}/texture', 'get', 302)).toEqual([...ALL, 'Location']);
});

test('The stream of events and the header that makes a submission repeatable are described', () => {
  const events = PATHS['/v2/queue/events']?.get;
  expect(Object.keys(events?.responses['200']?.content ?? {})).toEqual(['text/event-stream']);
  for (const path of ['/v2/queue', '/queue', '/v2/generate', '/v2/queue/batch']) {
    const operation = PATHS[path]?.post;
    expect(operation && namesOf(operation, 'header')).toEqual(['idempotency-key']);
  }
});
