import { expect, test } from 'vitest';
import { bodyOf, expectOldRefusal } from '../../support/http/v1/old-format.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';

guardAgainstLeaks();

interface List {
  readonly skins: { readonly uuid: string; readonly name: string }[];
  readonly page: {
    readonly index?: number;
    readonly amount?: number;
    readonly total?: number;
    readonly anchor?: string;
  };
  readonly filter?: string;
}

const NAMES = ['red hat', 'red coat', 'blue hat'];

/** The oldest first; their UUIDs. */
async function namedSkins({ owner }: ServerUnderTest): Promise<string[]> {
  const uuids: string[] = [];
  for (const [n, name] of NAMES.entries()) {
    uuids.push(String((await owner.upload('/v2/generate', skinPng(n), { name })).body.skin?.uuid));
  }
  return uuids;
}

async function listAt({ anonymous }: ServerUnderTest, path: string): Promise<List> {
  const heard = await anonymous().get(path);
  expect([path, heard.status]).toEqual([path, 200]);
  return bodyOf(heard) as List;
}

test('A list without a page number is the first page, and pages have the requested length', async () => {
  const server = await runServer();
  const [, middle, newest] = await namedSkins(server);
  const first = await listAt(server, '/get/list?size=1');
  expect(first).toMatchObject({ skins: [{ uuid: newest }], page: { index: 1, amount: 3, total: 3 } });
  expect(await listAt(server, '/get/list/0?size=1')).toEqual(first);
  expect((await listAt(server, '/get/list/2?size=1')).skins).toMatchObject([{ uuid: middle }]);
  expect((await listAt(server, '/get/list/4?size=1')).skins).toEqual([]);
  for (const size of ['', 'many', '0', '-1', '1000']) {
    expect((await listAt(server, `/get/list?size=${size}`)).skins).toHaveLength(3);
  }
});

test('A filter keeps the skins with its words in their names, page by page', async () => {
  const server = await runServer();
  const [hat, coat] = await namedSkins(server);
  expect(await listAt(server, '/get/list?filter=red&size=1')).toMatchObject({
    skins: [{ uuid: coat, name: 'red coat' }],
    filter: 'red',
  });
  expect((await listAt(server, '/get/list/2?filter=red&size=1')).skins).toMatchObject([{ uuid: hat }]);
  expect((await listAt(server, '/get/list/3?filter=red&size=1')).skins).toEqual([]);
  expect((await listAt(server, '/get/list?filter=green')).skins).toEqual([]);
  expect((await listAt(server, '/get/list/999999999?filter=red')).skins).toEqual([]);
});

test('A list may begin after a skin', async () => {
  const server = await runServer();
  const [oldest, middle, newest] = await namedSkins(server);
  const start = await listAt(server, '/get/list/start?size=1');
  expect(start).toMatchObject({ skins: [{ uuid: newest }], page: { anchor: 'start' } });
  const after = await listAt(server, `/get/list/${newest}`);
  expect(after.skins).toMatchObject([{ uuid: middle }, { uuid: oldest }]);
  const unknown = await server.anonymous().get(`/get/list/${'0'.repeat(32)}`);
  expectOldRefusal(unknown, 'validation_error');
  expectOldRefusal(await server.anonymous().get('/get/list/last'), 'validation_error');
});
