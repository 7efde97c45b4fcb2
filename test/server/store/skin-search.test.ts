import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { type SkinSearch, searchSkins } from '../../../src/server/store/skin-search.ts';
import {
  changeSkin,
  deleteSkinRow,
  type SkinPlace,
  type SkinScope,
  wordsIn,
} from '../../../src/server/store/skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { QUEUES } from '../../support/server/queue-nodes.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { keepData, record } from '../../support/server/skin-records.ts';
import { Statements } from '../../support/server/statements.ts';

async function ownDb(): Promise<Db> {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  return db;
}

async function search(db: Db, filter: string, scope: SkinScope = 'public') {
  const { skins } = await searchSkins(db, scope, { words: wordsIn(filter), size: 10, looks: 20_000, day: 0 });
  return skins.map(({ name }) => name);
}

/** So many public skins called `<name> <number>`, written at one stroke. */
async function addMany(db: Db, count: number, name: string): Promise<void> {
  const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  await sql`${numbers} insert into skins (uuid, owner, identity, name, visibility, views, created_at)
    select ${name} || n, 'ann', 'face', ${name} || ' ' || n, 'public', 0, 0 from numbers`.execute(db);
  await sql`insert into skin_words (word, skin_id) select ${name}, id from skins where uuid like ${`${name}%`}`.execute(
    db,
  );
}

describe('The words of a name', () => {
  test.each([
    ['Steve_red-hat.v2', ['steve', 'red', 'hat', 'v2']],
    ['RED red Red', ['red']],
    ['  ', []],
    ['._-', []],
    ['100% wool', ['100', 'wool']],
  ])('are read from %j', (name, words) => {
    expect(wordsIn(name)).toEqual(words);
  });
});

describe('A search', () => {
  test.each([
    ['smith', ['Smith', 'blacksmith', 'smithy of old']],
    ['SMI', ['Smith', 'blacksmith', 'smithy of old']],
    ['mit', ['Smith', 'blacksmith', 'smithy of old']],
    ['cksm', ['blacksmith']],
    ['thy f', ['smithy of old']],
    ['k', ['blacksmith']],
    ['old smithy', ['smithy of old']],
    ['o s', ['smithy of old', 'under_score']],
    ['smith old', ['smithy of old']],
    ['smith new', []],
    ['under', ['under_score']],
    ['score_under', ['under_score']],
    ['zzz', ['zzz']],
    ['zzzz', []],
    ['9', ['9 lives']],
  ])('finds the matching names for %j', async (filter, expected) => {
    const db = await ownDb();
    for (const name of ['9 lives', 'zzz', 'under_score', 'smithy of old', 'blacksmith', 'Smith'])
      await record(db, { name });
    await record(db);
    expect(await search(db, filter)).toEqual(expected);
  });

  test('finds only public skins, and the caller’s own of any visibility', async () => {
    const db = await ownDb();
    await record(db, { name: 'secret', visibility: 'private' });
    await record(db, { name: 'secret too', visibility: 'unlisted' });
    expect(await search(db, 'secret')).toEqual([]);
    expect(await search(db, 'secret', { owner: 'ann' })).toEqual(['secret too', 'secret']);
    expect(await search(db, 'secret', { owner: 'bob' })).toEqual([]);
  });

  test('takes the same work for a word in private names as for an unknown word', async () => {
    const db = await ownDb();
    for (let n = 0; n < 300; n++) await record(db, { name: `secret${n}`, visibility: 'private' });
    const statements = new Statements();
    const statementsOf = async (filter: string) => {
      statements.take();
      expect(await search(db, filter)).toEqual([]);
      return statements.take();
    };
    expect(await statementsOf('secret')).toEqual(await statementsOf('nothing'));
  });

  test('uses the current name of a skin, and forgets deleted ones', async () => {
    const db = await ownDb();
    const { id } = await record(db, { name: 'red hat' });
    await changeSkin(db, id, { name: 'blue hat' });
    expect([await search(db, 'red'), await search(db, 'blue')]).toEqual([[], ['blue hat']]);
    await changeSkin(db, id, { visibility: 'private' });
    expect([await search(db, 'blue'), await search(db, 'blue', { owner: 'ann' })]).toEqual([
      [],
      ['blue hat'],
    ]);
    await changeSkin(db, id, { name: null });
    expect(await search(db, 'blue', { owner: 'ann' })).toEqual([]);
    await changeSkin(db, id, { name: 'green hat' });
    await deleteSkinRow(db, id);
    expect(await db.selectFrom('skin_words').selectAll().execute()).toEqual([]);
  });
});

describe('A search for words that very many names have', () => {
  test('finds the newest of them, and a rare one among them', async () => {
    const db = await ownDb();
    await record(db, { name: 'common jewel' });
    await addMany(db, 3_000, 'common');
    expect((await search(db, 'common')).slice(0, 2)).toEqual(['common 3000', 'common 2999']);
    expect(await search(db, 'common jewel')).toEqual(['common jewel']);
  });

  test('stops after a number of skins, and can be continued to the end', async () => {
    const db = await ownDb();
    await record(db, { name: 'left right' });
    await addMany(db, 12_000, 'left');
    await addMany(db, 12_000, 'right');
    const words = ['left', 'right'];
    const first = await searchSkins(db, 'public', { words, size: 10, looks: 20_000, day: 0 });
    expect(first.skins).toEqual([]);
    expect(first.stoppedAt?.id).toBeGreaterThan(1);
    const second = await searchSkins(db, 'public', {
      words,
      size: 10,
      looks: 20_000,
      day: 0,
      before: first.stoppedAt,
    });
    expect(second).toMatchObject({ skins: [{ name: 'left right' }], stoppedAt: undefined });
  });
});

describe.each(QUEUES)('The most viewed skins, in %s,', (_, makeQueue) => {
  const TODAY = 100;

  /** The numbers of so many public skins called “smith”, with these views. */
  async function viewed(views: readonly number[]) {
    const { db } = await (await makeQueue())();
    await keepData(db, 'face');
    const ids: number[] = [];
    for (const some of views) {
      const { id } = await record(db, { name: `smith ${ids.length}` });
      await db.updateTable('skins').set({ views: some }).where('id', '=', id).execute();
      ids.push(id);
    }
    return { db, ids };
  }

  /** The places of the found skins, page by page. */
  async function pages(
    { db, ids }: Awaited<ReturnType<typeof viewed>>,
    search: Pick<SkinSearch, 'words' | 'sort'>,
  ): Promise<number[][]> {
    const found: number[][] = [];
    for (let before: SkinPlace | undefined; ; ) {
      const { skins } = await searchSkins(db, 'public', {
        ...{ ...search, size: 2, looks: 20_000, day: TODAY, before },
      });
      if (skins.length === 0) return found;
      found.push(skins.map(({ id }) => ids.indexOf(id)));
      before = skins.at(-1);
    }
  }

  test('come first in a search, and of those with the same views the newer one', async () => {
    const here = await viewed([3, 7, 3, 9, 0]);
    const search = { words: ['smith'], sort: 'popular' } as const;
    expect(await pages(here, search)).toEqual([[3, 1], [2, 0], [4]]);
  });

  test('come first in the list of the week, whose days add up', async () => {
    const here = await viewed([0, 0, 0, 0]);
    const days = [
      ...[3, 1, 2].map((views, at) => ({ skin_id: here.ids[at]!, day: TODAY, views })),
      ...[3, 1].map((views, at) => ({ skin_id: here.ids[at + 1]!, day: TODAY - 6, views })),
      { skin_id: here.ids[3]!, day: TODAY - 7, views: 9 },
    ];
    await here.db.insertInto('skin_days').values(days).execute();
    expect(await pages(here, { words: [], sort: 'week' })).toEqual([[1, 2], [0]]);
  });

  test('are those of a day with more than are read', async () => {
    const { db } = await viewed([]);
    const [few, many] = [await record(db, { name: 'few' }), await record(db, { name: 'many' })];
    const others = Array.from({ length: 500 }, (_, n) => n);
    const row = {
      owner: 'ann',
      identity: 'face',
      name: null,
      visibility: 'public' as const,
      views: 0,
      created_at: 0,
    };
    const added = await db
      .insertInto('skins')
      .values(others.map((n) => ({ ...row, uuid: `other ${n}` })))
      .returning('id')
      .execute();
    await db
      .insertInto('skin_days')
      .values([
        { skin_id: few.id, day: TODAY, views: 1 },
        ...added.map(({ id }) => ({ skin_id: id, day: TODAY, views: 2 })),
        { skin_id: many.id, day: TODAY, views: 3 },
      ])
      .execute();
    const { skins, total } = await searchSkins(db, 'public', {
      ...{ words: [], sort: 'week', size: 1, looks: 20_000, day: TODAY, countTo: 20_000 },
    });
    expect([skins.map(({ id }) => id), total]).toEqual([[many.id], 500]);
  });
});
