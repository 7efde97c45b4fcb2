import { expect, test } from 'vitest';
import { describeApi } from '../../../../src/server/http/openapi.ts';
import { ROUTES } from '../../../../src/server/http/routes/routes.ts';

interface Operation {
  readonly deprecated?: boolean;
  readonly parameters: readonly { readonly name: string; readonly in?: string }[];
  readonly requestBody?: { readonly content: object };
}

const PATHS = (await describeApi(ROUTES))['paths'] as Record<string, Record<string, Operation>>;

test('All of version 1 is described as deprecated, and nothing else is', () => {
  const deprecated = Object.entries(PATHS)
    .filter(([, item]) => Object.values(item).some((operation) => operation.deprecated))
    .map(([path]) => path);
  const generate = ['/generate/upload', '/generate/url', '/generate/user'];
  const get = ['/generate/user/{uuid}', '/get/uuid/{uuid}', '/get/id/{id}', '/get/delay'];
  const lists = ['/get/list', '/get/list/{page}', '/get/random', '/get/stats'];
  const names = ['/validate/name/{name}', '/validate/user/{name}'];
  const validate = [...names, '/validate/uuid/{uuid}', '/validate/currentUsername/{uuid}'];
  const render = [
    '/render/head',
    '/render/skin',
    '/render/{id}/head',
    '/render/{id}/skin',
    '/render/texture/{id}',
  ];
  expect(deprecated).toEqual([...generate, ...get, ...lists, ...validate, ...render]);
});

test('The methods, the options in the query and the v2 switch are described', () => {
  const upload = PATHS['/generate/upload']?.['post'];
  expect(Object.keys(upload?.requestBody?.content ?? {})).toEqual(['multipart/form-data']);
  const options = upload?.parameters.filter((one) => one.in === 'query');
  expect(options?.map(({ name }) => name)).toEqual([
    'variant',
    'model',
    'visibility',
    'name',
    'checkOnly',
    'v2',
  ]);
  for (const kind of ['url', 'user']) {
    const content = PATHS[`/generate/${kind}`]?.['post']?.requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]);
  }
});
