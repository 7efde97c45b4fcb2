import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConcurrencyQueue } from '../../../src/server/fairness.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { mostlyOnSqlite, onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const SKINS = [
  { name: 'Blacksmith', variant: 'slim', visibility: 'public' },
  { name: 'smithy_old', variant: 'classic', visibility: 'unlisted' },
  { name: 'Ranger', variant: 'classic', visibility: 'private' },
  { name: 'Red-Ranger', variant: 'slim', visibility: 'public' },
] as const;

async function withSkins(): Promise<ServerUnderTest> {
  const server = await runServer();
  for (const [number, options] of SKINS.entries())
    expect((await server.owner.upload('/v2/generate', skinPng(number), { ...options })).status).toBe(200);
  const { db } = await openOwnStore(server.dataDir);
  for (const [views, { name }] of SKINS.entries())
    await db
      .updateTable('skins')
      .set({ views: views === 3 ? 1 : views })
      .where('name', '=', name)
      .execute();
  return server;
}

async function namesOn(caller: TestCaller, first: string): Promise<(string | null)[]> {
  const names = [];
  for (let next: string | undefined = first; next; ) {
    const { body } = await caller.get(next);
    expect(body.success).toBe(true);
    names.push(...(body.skins ?? []).map(({ name }) => name));
    next = body.links['next'];
  }
  return names;
}

describe('Lists of skins', () => {
  test('can be filtered by part of a name, by variant and by visibility, and sorted by views, all together', async () => {
    const { owner } = await withSkins();
    const own = async (query: string) => await namesOn(owner, `/v2/me/skins?${query}`);
    expect(await own('filter=mith')).toEqual(['smithy_old', 'Blacksmith']);
    expect(await own('filter=ANGE')).toEqual(['Red-Ranger', 'Ranger']);
    expect(await own('filter=ang&variant=slim')).toEqual(['Red-Ranger']);
    expect(await own('variant=classic')).toEqual(['Ranger', 'smithy_old']);
    expect(await own('visibility=public&size=1')).toEqual(['Red-Ranger', 'Blacksmith']);
    expect(await own('visibility=private')).toEqual(['Ranger']);
    const popular = ['Ranger', 'Red-Ranger', 'smithy_old', 'Blacksmith'];
    for (const size of [1, 2, 3, 9]) expect(await own(`sort=popular&size=${size}`)).toEqual(popular);
    expect(await own('sort=popular&filter=a&size=1')).toEqual(['Ranger', 'Red-Ranger', 'Blacksmith']);
    expect(await own('sort=popular&variant=slim&size=1')).toEqual(['Red-Ranger', 'Blacksmith']);
    expect(await own('sort=newest&size=3')).toEqual(SKINS.map(({ name }) => name).toReversed());
    const all = async (query: string) => await namesOn(owner, `/v2/skins?${query}`);
    expect(await all('filter=ANGE')).toEqual(['Red-Ranger']);
    expect(await all('variant=classic')).toEqual([]);
    expect(await all('sort=popular&size=1')).toEqual(['Red-Ranger', 'Blacksmith']);
  });

  mostlyOnSqlite(test)('say when each skin was made, and how many there are', async () => {
    const { owner } = await withSkins();
    const { body } = await owner.get('/v2/me/skins?size=1');
    expect(body).toMatchObject({ total: 4, skins: [{ name: 'Red-Ranger', timestamp: expect.any(Number) }] });
    expect((await owner.get('/v2/skins')).body).toMatchObject({ total: 2 });
    expect((await owner.get('/v2/skins?filter=a')).body).not.toHaveProperty('total');
  });
});

mostlyOnSqlite(test)(
  'A search is refused with the time to wait when too many run at once; an unfiltered list is not',
  async () => {
    const { url, owner, anonymous } = await runServer();
    const visitor = new PlainBrowser(url);
    const fullFor = vi.spyOn(ConcurrencyQueue.prototype, 'fullFor');
    onTestFinished(() => fullFor.mockRestore());
    fullFor.mockReturnValue('one');
    const searches = ['?filter=a', '?variant=slim', '?sort=popular&filter=a', '/popular?filter=a'];
    for (const search of searches)
      expectRefusal(await anonymous().get(`/v2/skins${search}`), 'concurrency_limit');
    expectRefusal(await owner.get('/v2/me/skins?visibility=public'), 'concurrency_limit');
    for (const path of ['/get/list?filter=a', '/get/list/1?filter=a', '/get/list/start?filter=a'])
      expect((await anonymous().get(path)).status).toBe(429);
    expect((await visitor.open('/ui/gallery?filter=a')).status).toBe(429);
    for (const path of ['/v2/skins', '/v2/skins?sort=popular', '/get/list/1'])
      expect((await anonymous().get(path)).status).toBe(200);
    expect((await visitor.open('/ui/gallery')).status).toBe(200);
    fullFor.mockReturnValue('all');
    const crowded = await anonymous().get('/v2/skins?filter=a');
    expectRefusal(crowded, 'service_unavailable');
    expect(crowded.headers['retry-after']).toBe('1');
  },
);

onSqlite(test)(
  'Our own routes refuse unknown parameters and name them; the published ones ignore them',
  async () => {
    const { owner } = await runServer();
    for (const path of ['/v2/me/skins?fliter=a', '/v2/account/users?fliter=a', '/v2/account/me?fliter=a']) {
      const { status, body } = await owner.get(path);
      expect([path, status, body.errors[0]?.code]).toEqual([path, 400, 'validation_error']);
      expect(JSON.stringify(body.errors)).toContain('fliter');
    }
    for (const path of ['/v2/skins?fliter=a', '/v2/queue?fliter=a', '/v2/me?fliter=a'])
      expect((await owner.get(path)).status).toBe(200);
  },
);
