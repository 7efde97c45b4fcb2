import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { searchSkins } from '../../../src/server/store/skin-search.ts';
import { changeSkin, deleteSkinRow, type SkinScope, wordsIn } from '../../../src/server/store/skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
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
