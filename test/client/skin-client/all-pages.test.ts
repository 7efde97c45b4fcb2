import { describe, expect, test } from 'vitest';
import type { SkinListItem } from '../../../src/index.ts';
import { makeJob } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const page = (expect: string, entries: object, next?: string): Exchange => ({
  expect,
  json: { success: true, ...entries, ...(next && { links: { next } }) },
});
const skins = (...uuids: string[]) => ({ skins: uuids.map((uuid) => ({ uuid })) });

async function allOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const entry of list) all.push(entry);
  return all;
}

async function uuidsIn(list: AsyncIterable<SkinListItem>): Promise<string[]> {
  return (await allOf(list)).map(({ uuid }) => uuid);
}

describe('all skins', () => {
  test("are read page by page: one's own", async () => {
    const { client } = await testClient([
      page('GET /v2/me/skins?size=128&visibility=private', skins('a', 'b'), '/v2/me/skins?after=b'),
      page('GET /v2/me/skins?size=128&visibility=private&after=b', skins(), '/v2/me/skins?after=c'),
      page('GET /v2/me/skins?size=128&visibility=private&after=c', skins('d')),
    ]);
    expect(await uuidsIn(client.allOwnSkins({ visibility: 'private' }))).toEqual(['a', 'b', 'd']);
  });

  test('are read page by page: the public ones, in pages of the wanted size', async () => {
    const { client } = await testClient([
      page('GET /v2/skins?size=1&sort=popular', skins('a'), '/v2/skins?after=9.1'),
      page('GET /v2/skins?size=1&sort=popular&after=9.1', skins('b')),
    ]);
    expect(await uuidsIn(client.allPublicSkins({ size: 1, sort: 'popular' }))).toEqual(['a', 'b']);
  });

  test('are read only as far as the caller wants', async () => {
    const { client } = await testClient([
      page('GET /v2/skins?size=128', skins('a', 'b'), '/v2/skins?after=b'),
    ]);
    for await (const { uuid } of client.allPublicSkins()) if (uuid === 'b') break;
  });

  test('end where the service sends the same page again', async () => {
    const { client } = await testClient([
      page('GET /v2/skins?size=128', skins('a'), '/v2/skins?after=a'),
      page('GET /v2/skins?size=128&after=a', skins('a'), '/v2/skins?after=a'),
    ]);
    expect(await uuidsIn(client.allPublicSkins())).toEqual(['a', 'a']);
  });

  test('throw the reason of the signal between two pages', async () => {
    const stop = new AbortController();
    const { client } = await testClient([page('GET /v2/skins?size=128', skins('a'), '/v2/skins?after=a')]);
    const read = async () => {
      for await (const _ of client.allPublicSkins({}, { signal: stop.signal })) stop.abort('enough');
    };
    expect(await failureOf(read())).toBe('enough');
  });
});

test('All jobs are read page by page', async () => {
  const [one, two] = [makeJob({ id: '1' }), makeJob({ id: '2' })];
  const { client } = await testClient([
    page('GET /v2/queue?size=500&status=waiting', { jobs: [one] }, '/v2/queue?after=1'),
    page('GET /v2/queue?size=500&status=waiting&after=1', { jobs: [two] }),
  ]);
  expect(await allOf(client.allJobs({ status: 'waiting' }))).toEqual([one, two]);
});
