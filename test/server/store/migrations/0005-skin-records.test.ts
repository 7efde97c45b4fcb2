import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { firstSchema } from '../../../../src/server/store/migrations/0001-first-schema.ts';
import { skinRecords } from '../../../../src/server/store/migrations/0005-skin-records.ts';
import type { Tables } from '../../../../src/server/store/schema/tables.ts';
import { wordsIn } from '../../../../src/server/store/skin-words.ts';
import { openSqliteFile } from '../../../../src/server/store/sqlite.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

/** A store as it was before, with these skins of data that is called by its first letter. */
async function oldStore(skins: readonly (readonly string[])[]): Promise<Kysely<Tables>> {
  const { dialect } = await openSqliteFile(join(await ownFolder(), 'skinsmith.db'));
  const db = new Kysely<Tables>({ dialect });
  onTestFinished(async () => await db.destroy());
  await firstSchema(db);
  await sql`insert into textures values ('hash', 64, 64, x'00', 0)`.execute(db);
  for (const identity of new Set(skins.map(([, data]) => data))) {
    await sql`insert into texture_data values (${identity}, 'hash', 'classic', ${`value ${identity}`}, 's', 'u',
      '0', 'a', 's', 'w', 0, 0)`.execute(db);
  }
  for (const [uuid, identity, owner, visibility, name = null] of skins) {
    await sql`insert into skins (uuid, identity, owner, visibility, name, views, created_at)
      values (${uuid}, ${identity}, ${owner}, ${visibility}, ${name}, 0, 0)`.execute(db);
  }
  return db;
}

test('What only private skins have becomes their owners’ own, each with the value it had', async () => {
  const db = await oldStore([
    ['1', 'alone', 'ann', 'private'],
    ['2', 'alone', 'ann', 'private', 'Smith'],
    ['3', 'two', 'ann', 'private'],
    ['4', 'two', 'bob', 'private'],
    ['5', 'open', 'ann', 'private'],
    ['6', 'open', 'bob', 'unlisted'],
    ['7', 'public', 'bob', 'public'],
  ]);
  await skinRecords(db);
  const { rows } = await sql<{ uuid: string; identity: string; value: string }>`select uuid, identity, value
    from skins join texture_data using (identity) order by uuid`.execute(db);
  expect(rows.map(({ uuid, identity, value }) => [uuid, identity, value])).toEqual([
    ['1', 'alone/ann', 'value alone'],
    ['2', 'alone/ann', 'value alone'],
    ['3', 'two/ann', 'value two'],
    ['4', 'two/bob', 'value two'],
    ['5', 'open', 'value open'],
    ['6', 'open', 'value open'],
    ['7', 'public', 'value public'],
  ]);
  const { rows: data } = await sql<{ identity: string }>`select identity from texture_data`.execute(db);
  expect(data.map(({ identity }) => identity).toSorted()).toEqual(
    ['alone/ann', 'two/ann', 'two/bob', 'open', 'public'].toSorted(),
  );
});

test('All names of before are searched by their words, however many there are', async () => {
  const many = Array.from({ length: 1_100 }, (_, n) => [
    `m${n}`,
    'data',
    'ann',
    'public',
    `Old Skin-${n} old`,
  ]);
  const db = await oldStore([
    ['1', 'data', 'ann', 'public'],
    ['2', 'data', 'ann', 'private', '_._'],
    ...many,
  ]);
  await skinRecords(db);
  const skins = await db.selectFrom('skins').select(['id', 'name']).execute();
  const words = await db.selectFrom('skin_words').selectAll().execute();
  const expected = skins.flatMap(({ id, name }) => wordsIn(name ?? '').map((word) => `${id} ${word}`));
  expect(expected).toHaveLength(3_300);
  expect(words.map(({ skin_id, word }) => `${skin_id} ${word}`).toSorted()).toEqual(expected.toSorted());
});
