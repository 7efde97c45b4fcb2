import { describe, expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { mostlyOnSqlite, onSqlite, storeKind } from '../../support/postgres/on-postgres.ts';
import type { Body } from '../../support/server/answer-body.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

/** Skins of the numbers from `first` to `last`, named after them; their UUIDs. */
async function makeSeveral(caller: TestCaller, first: number, last: number): Promise<string[]> {
  const uuids: string[] = [];
  for (let n = first; n <= last; n++) {
    const { body } = await caller.upload('/v2/generate', skinPng(n), { name: `skin ${n}` });
    uuids.push(body.skin!.uuid);
  }
  return uuids;
}

const namesOf = ({ skins }: Body) => skins?.map(({ name }) => name);

/** Reads on through links.next; `between` is called after each page. */
async function readAll(caller: TestCaller, start: string, between = async (_: Body) => {}) {
  const seen: (string | null)[] = [];
  for (let path: string | undefined = start; path !== undefined; ) {
    const { status, body } = await caller.get(path);
    expect(status).toBe(200);
    seen.push(...(namesOf(body) ?? []));
    path = body.links['next'];
    await between(body);
  }
  return seen;
}

const FIVE = ['skin 4', 'skin 3', 'skin 2', 'skin 1', 'skin 0'];

/** On PostgreSQL, the one with the longer statement. */
const STEP = storeKind() === 'postgres' ? 2 : 1;
const LISTS = sampled(['/v2/me/skins', '/v2/skins'], STEP);
const FILTERS = sampled(['&filter=skin', ''], STEP);

describe.each(LISTS)('The pages of %s', (path) => {
  mostlyOnSqlite(test).each(FILTERS)('end exactly with the last skin (%j)', async (filter) => {
    const { owner } = await runServer();
    await makeSeveral(owner, 0, 3);
    const sizes: (number | undefined)[] = [];
    await readAll(owner, `${path}?size=2${filter}`, async ({ skins }) => void sizes.push(skins?.length));
    expect(sizes).toEqual([2, 2]);
  });

  test.each(FILTERS)(
    'hold each skin once, whatever is made and deleted between them (%j)',
    async (filter) => {
      const { owner } = await runServer();
      await makeSeveral(owner, 0, 4);
      let next = 10;
      const seen = await readAll(owner, `${path}?size=2${filter}`, async ({ skins }) => {
        await makeSeveral(owner, next, next++);
        const last = skins?.at(-1)?.uuid;
        expect((await owner.send('DELETE', `/v2/skins/${last}`)).status).toBe(200);
      });
      expect(seen).toEqual(FIVE);
    },
  );

  test('continue after the UUID of an existing skin, and start over after any other', async () => {
    const server = await runServer();
    const bob = await userWithPlan(server, 'bob');
    const [oldest, middle] = await makeSeveral(server.owner, 0, 2);
    const pageAfter = async (uuid: string | undefined) => await server.owner.get(`${path}?after=${uuid}`);
    expect(namesOf((await pageAfter(middle)).body)).toEqual(['skin 0']);
    const hidden = await bob.upload('/v2/generate', skinPng(9), { visibility: 'private' });
    await server.owner.send('DELETE', `/v2/skins/${oldest}`);
    for (const uuid of [hidden.body.skin?.uuid, oldest, '0'.repeat(32)]) {
      const { body } = await pageAfter(uuid);
      expect(namesOf(body)).toEqual(['skin 2', 'skin 1']);
      expect(body.warnings.map(({ code }) => code)).toEqual(['anchor_not_found']);
    }
    expect((await pageAfter(middle)).body.warnings).toEqual([]);
    expectRefusal(await pageAfter('nonsense'), 'validation_error');
  });
});

onSqlite(test).each(['popular', 'newest'])(
  'A place in the gallery that is no number counts as none (sort: %s)',
  async (sort) => {
    const visitor = new PlainBrowser((await runServer()).url);
    for (const after of [
      ...['x.y', '1.', '.1', '1.5.2', '-1.2', '1e9.2', `1.${'9'.repeat(40)}`],
      '1.2',
      `${'9'.repeat(15)}.${'9'.repeat(15)}`,
      ...(sort === 'newest' ? ['9'.repeat(15)] : []),
    ]) {
      const { status } = await visitor.open(`/ui/gallery?sort=${sort}&after=${after}`);
      expect([after, status]).toEqual([after, 200]);
    }
  },
);

describe('Searching the skins', () => {
  test('matches inside words, in any order and case, and repeats the query', async () => {
    const { owner, anonymous } = await runServer();
    for (const [n, name] of ['Red-Hat Smith', 'red baron', 'blue hat'].entries())
      await owner.upload('/v2/generate', skinPng(n), { name });
    const search = async (filter: string) =>
      (await anonymous().get(`/v2/skins?filter=${encodeURIComponent(filter)}`)).body;
    expect(namesOf(await search('RED'))).toEqual(['red baron', 'Red-Hat Smith']);
    expect(namesOf(await search('ha re'))).toEqual(['Red-Hat Smith']);
    expect(namesOf(await search('aro'))).toEqual(['red baron']);
    expect(namesOf(await search('aronr'))).toEqual([]);
    expect(namesOf(await search('--'))).toEqual([]);
    expect(namesOf(await search(''))).toHaveLength(3);
    expect((await search('ha re')) as unknown).toMatchObject({ search: 'ha re' });
    expect((await anonymous().get('/v2/skins')).body).not.toHaveProperty('search');
  });
});
