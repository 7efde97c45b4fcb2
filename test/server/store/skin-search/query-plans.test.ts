import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookUp } from '../../../../src/server/queue/enqueue.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import { listLinked } from '../../../../src/server/store/sessions.ts';
import { findSkinWithTexture, similarSkins } from '../../../../src/server/store/similar-skins.ts';
import { searchSkins } from '../../../../src/server/store/skin-search.ts';
import {
  countSkins,
  findOwnSkin,
  hasOpenSkin,
  listSkins,
  ownSkinsNamed,
  someSkinOf,
} from '../../../../src/server/store/skins.ts';
import { countEnded, countMade, firstMade } from '../../../../src/server/store/stats.ts';
import { findServedTexture, hasTextureData } from '../../../../src/server/store/textures.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { keepData, record } from '../../../support/server/skin-records.ts';
import { plansOfWork } from '../../../support/server/statements.ts';

const owner = 'ann';
const wanted = { owner, identity: 'face', name: null, visibility: 'public' } as const;
const request = { ...wanted, textureHash: 'hash', identities: ['face', 'other'] } as const;

const WORKS: Record<string, (db: Db) => Promise<unknown>> = {
  'whether data exists': (db) => hasTextureData(db, 'face'),
  'what answers a submission': (db) => lookUp(db, request, 0),
  'what answers one with a name': (db) => lookUp(db, { ...request, name: 'Smith', idempotencyKey: 'key' }, 0),
  'a record of one’s own': (db) => findOwnSkin(db, wanted),
  'a record of one’s own by name': (db) => findOwnSkin(db, { ...wanted, name: 'Smith' }),
  'who else has the data': (db) => hasOpenSkin(db, 'face'),
  'any that has the data': (db) => someSkinOf(db, 'face', owner),
  'the public list': (db) => listSkins(db, 'public', { size: 10 }),
  'a page of the public list': (db) => listSkins(db, 'public', { size: 10, before: { id: 5, views: 0 } }),
  'a page of one’s own': (db) => listSkins(db, { owner }, { size: 10, before: { id: 5, views: 0 } }),
  'the most viewed': (db) =>
    listSkins(db, 'public', { size: 10, sort: 'popular', before: { id: 5, views: 0 } }),
  'the most viewed of one’s own': (db) => listSkins(db, { owner }, { size: 10, sort: 'popular' }),
  'how many there are': (db) => countSkins(db, 'public'),
  'how many are one’s own': (db) => countSkins(db, { owner }),
  'skins of a variant': (db) =>
    searchSkins(db, 'public', { words: [], size: 10, looks: 100, day: 0, variant: 'slim' }),
  'a search': (db) =>
    searchSkins(db, 'public', {
      words: ['red', 'hat'],
      size: 10,
      looks: 100,
      day: 0,
      before: { id: 5, views: 0 },
    }),
  'a search of one’s own': (db) =>
    searchSkins(db, { owner }, { words: ['red'], size: 10, looks: 100, day: 0 }),
  'skins that look alike': async (db) => {
    const [skin] = await listSkins(db, 'public', { size: 1 });
    return await similarSkins(db, skin!, { viewer: owner, size: 6 });
  },
  'a skin with a texture': (db) => findSkinWithTexture(db, '66616365'.padEnd(64, '0'), owner),
  'one’s own skins of some names': (db) => ownSkinsNamed(db, owner, ['red hat', 'no hat']),
  'how many were made in a span': (db) => countMade(db, { from: 1, to: 2 }),
  'when the first was made': (db) => firstMade(db),
  'how jobs ended': (db) => countEnded(db, 1),
  'who signs in as a user': (db) => listLinked(db, 'user'),
  'a texture': (db) => findServedTexture(db, '0'.repeat(64)),
};

/** How SQLite goes about every statement that `work` runs. */
async function plansOf(folder: string, work: (db: Db) => Promise<unknown>) {
  const { db } = await openOwnStore(folder);
  return await plansOfWork(join(folder, 'skinsmith.db'), async () => await work(db));
}

/** What sorts or groups only so many rows that were read before. */
const BOUNDED = /limit 1000\) as "some" group by/;

test.each(Object.entries(WORKS))(
  'Looking for %s, the store walks through no table and sorts nothing',
  async (_, work) => {
    const folder = await ownFolder();
    const { db } = await openOwnStore(folder);
    await keepData(db, 'face');
    for (const name of ['red hat', 'red shoe', 'blue hat']) await record(db, { name });
    const plans = await plansOf(folder, work);
    expect(plans.length).toBeGreaterThan(0);
    const costly = plans.filter(
      ({ plan }) =>
        /^SCAN (?!some\b|near\b|names\b|capes\b|(\d+ )?CONSTANT)/.test(plan) &&
        !/USING (COVERING )?INDEX skins_public/.test(plan),
    );
    expect(costly).toEqual([]);
    const sorted = plans.filter(({ plan }) => /TEMP B-TREE/.test(plan) && !/DISTINCT/.test(plan));
    expect(sorted.filter(({ sql }) => !BOUNDED.test(sql))).toEqual([]);
  },
);
