import fs, { fstatSync, truncateSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { sampled } from '../../../support/setup/extent.ts';

/** A disk that has only what was flushed; `turns`: how many of the event loop a flush takes. */
function cautiousDisk(turns: number) {
  const disk = { flushed: 0, flushes: 0 };
  const { fdatasync } = fs;
  onTestFinished(() => {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
  });
  const flush = async (fd: number) => {
    const { size } = fstatSync(fd);
    disk.flushes++;
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    disk.flushed = Math.max(disk.flushed, size);
  };
  fs.fdatasync = ((fd: number, done: (error: null) => void) =>
    void flush(fd).then(() => done(null))) as typeof fdatasync;
  syncBuiltinESMExports();
  return disk;
}

const SKINS = 12;

test.each(sampled([1, 2, 5, 6, 9, 12], 3, 1))(
  'After a power cut after %i acceptances, no skin is paid for twice',
  async (cutAfter) => {
    const disk = cautiousDisk(20);
    const { clock, hosted, batch } = await openWorld();
    const stateDir = await ownFolder();
    const power = new AbortController();
    let accepted = 0;
    let onDisk = 0;
    const onEvent = ({ type }: { type: string }) => {
      if (type !== 'accepted' || ++accepted < cutAfter || power.signal.aborted) return;
      onDisk = disk.flushed;
      power.abort();
    };
    const end = await clock.until(batch(SKINS, { stateDir, onEvent, signal: power.signal }));
    expect(end).toMatchObject({ end: 'interrupted' });
    const folder = join(stateDir, 'journals');
    const [journal = ''] = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
    truncateSync(join(folder, journal), onDisk);

    expect(await clock.until(batch(SKINS, { stateDir }))).toMatchObject({ end: 'complete', failed: 0 });
    expect(hosted.records.doubleSubmissions).toEqual([]);
  },
);

test('Submissions at the same moment share one flush to the disk', async () => {
  const disk = cautiousDisk(3);
  const { clock, batch } = await openWorld();
  await clock.until(batch(50));
  expect(disk.flushes).toBeGreaterThan(0);
  expect(disk.flushes).toBeLessThan(50);
});
