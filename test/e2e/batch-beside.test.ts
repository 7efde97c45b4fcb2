import { expect, test } from 'vitest';
import { whenAccepted } from '../support/hosted/run-hosted.ts';
import { embeddedWorkshop, hostedWorkshop, pixelsOf } from '../support/program/batches.ts';
import { testWhole } from '../support/setup/extent.ts';

const BATCH = 12;
/** Submissions after which the others begin: the batch is in the middle of its work then. */
const BEGUN = 3;

// Otherwise the next test has two processes over one data folder, and e2e/batch-sharing three.
testWhole(
  'A single generate beside a batch on one data folder never exceeds five jobs, and submits nothing twice',
  async () => {
    // It would let more than five through, so that it sees whoever sends them.
    const { shop, service } = await hostedWorkshop({ serviceTime: 150, limit: 5, slack: 50 });
    await shop.drawMany('skins', BATCH);
    await shop.draw({ lone: 100, 'skins/lone': 101 });

    const batch = shop.start(['generate', 'skins', '--out', 'out']);
    await whenAccepted(service, BEGUN);
    const lone = await shop.run('generate', 'lone.png', '--json');
    const { exitCode, stderr } = await batch;

    expect([lone.exitCode, JSON.parse(lone.stdout)]).toMatchObject([0, { status: 'completed' }]);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`${BATCH + 1} sources: ${BATCH + 1} made`),
    ]);
    const { accepted, mostUnfinished } = service.records;
    const wanted = [...Array.from({ length: BATCH }, (_, index) => index + 1), 100, 101].map(pixelsOf);
    expect(accepted.map(({ pixels }) => pixels).sort()).toEqual(wanted.sort());
    expect([mostUnfinished <= 5, service.doubleSubmissions]).toEqual([true, []]);
  },
);

test('Two batches of the same skins on one data folder never exceed five jobs, and write every file', async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 100, limit: 5, slack: 50 });
  await shop.drawMany('skins', BATCH);
  const first = shop.start(['generate', 'skins', '--out', 'one']);
  const second = shop.run('generate', 'skins', '--out', 'two');
  const ends = await Promise.all([first, second]);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
  const made = async (folder: string) =>
    (await shop.lock(`${folder}/skins.lock`)).map(({ pixels }) => pixels).sort();
  expect(await made('one')).toHaveLength(BATCH);
  expect(await made('two')).toEqual(await made('one'));
});

// Otherwise e2e/queue has two processes that queue in one store, and processes/queue three.
testWhole(
  'Two batches of the same skins with two embedded services on one data folder make each skin once',
  async () => {
    const shop = await embeddedWorkshop();
    await shop.drawMany('skins', BATCH);
    const both = [
      shop.start(['generate', 'skins', '--out', 'one']),
      shop.run('generate', 'skins', '--out', 'two'),
    ];
    expect((await Promise.all(both)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    // Skin data has the time at which it was made: made twice, it would differ.
    const made = async (folder: string) =>
      (await shop.lock(`${folder}/skins.lock`)).map(({ value, signature }) => ({ value, signature }));
    expect(await made('one')).toHaveLength(BATCH);
    expect(await made('two')).toEqual(await made('one'));
  },
);
