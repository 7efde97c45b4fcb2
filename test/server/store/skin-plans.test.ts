import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { searchSkins } from '../../../src/server/store/skin-search.ts';
import { findOwnSkin, hasOpenSkin, listSkins, someSkinOf } from '../../../src/server/store/skins.ts';
import type { Db } from '../../../src/server/store/store.ts';
import { findKnownIdentities, findServedTexture } from '../../../src/server/store/textures.ts';
import { ownFolder } from '../own-folder.ts';
import { openOwnStore } from '../running-server.ts';
import { keepData, record } from './skin-records.ts';

const owner = 'ann';
const wanted = { owner, identity: 'face', name: null, visibility: 'public' } as const;

const WORKS: Record<string, (db: Db) => Promise<unknown>> = {
  'whether data exists': (db) => findKnownIdentities(db, ['a', 'b']),
  'a record of one’s own': (db) => findOwnSkin(db, wanted),
  'a record of one’s own by name': (db) => findOwnSkin(db, { ...wanted, name: 'Smith' }),
  'who else has the data': (db) => hasOpenSkin(db, 'face'),
  'any that has the data': (db) => someSkinOf(db, 'face', owner),
  'the public list': (db) => listSkins(db, 'public', { size: 10 }),
  'a page of the public list': (db) => listSkins(db, 'public', { size: 10, before: 5 }),
  'a page of one’s own': (db) => listSkins(db, { owner }, { size: 10, before: 5 }),
  'a search': (db) => searchSkins(db, 'public', { words: ['red', 'hat'], size: 10, before: 5 }),
  'a search of one’s own': (db) => searchSkins(db, { owner }, { words: ['red'], size: 10 }),
  'a texture': (db) => findServedTexture(db, '0'.repeat(64)),
};

/** How SQLite goes about every statement that `work` runs. */
async function plansOf(db: Db, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const statements: { sql: string; parameters: readonly unknown[] }[] = [];
  const listening = db.withPlugin({
    transformQuery: ({ node }) => {
      const { sql: text, parameters } = db.getExecutor().compileQuery(node, { queryId: 'it' });
      statements.push({ sql: text, parameters });
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await work(listening);
  const plans: string[] = [];
  for (const { sql: text, parameters } of statements) {
    const pieces = text.split('?');
    const parts = pieces.map((piece, n) =>
      n < parameters.length ? sql`${sql.raw(piece)}${parameters[n]}` : sql.raw(piece),
    );
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.join(parts, sql``)}`.execute(db);
    plans.push(...rows.map(({ detail }) => detail));
  }
  return plans;
}

test.each(Object.entries(WORKS))(
  'Looking for %s, the store walks through no table and sorts nothing',
  async (_, work) => {
    const { db } = await openOwnStore(await ownFolder());
    await keepData(db, 'face');
    for (const name of ['red hat', 'red shoe', 'blue hat']) await record(db, { name });
    const plans = await plansOf(db, work);
    expect(plans.length).toBeGreaterThan(0);
    const costly = plans.filter(
      (plan) =>
        /^SCAN (?!some\b|capes\b|CONSTANT)/.test(plan) && !/USING (COVERING )?INDEX skins_public/.test(plan),
    );
    expect(costly).toEqual([]);
    expect(plans.filter((plan) => /TEMP B-TREE/.test(plan) && !/DISTINCT/.test(plan))).toEqual([]);
  },
);
