import { expect, test } from 'vitest';
import { flushUsage } from '../../../src/server/store/adapter-parts.ts';
import { forgetOldViews, hourOf, noteView } from '../../../src/server/store/skin-views.ts';
import { findSkin } from '../../../src/server/store/skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { keepData, record } from '../../support/server/skin-records.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR + 5;

test('Views of hours that are over are forgotten, and stay counted', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  const { id, uuid } = await record(db);
  for (const time of [NOW - HOUR, NOW, NOW]) noteView(db, { skin_id: id, viewer: 'ann', hour: hourOf(time) });
  await flushUsage(db);
  await forgetOldViews(db, NOW);
  expect(await db.selectFrom('skin_views').select('hour').execute()).toEqual([{ hour: 1_000 }]);
  expect((await findSkin(db, uuid))?.views).toBe(2);
});
