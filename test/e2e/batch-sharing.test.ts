import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { whenAccepted, whenRequested } from '../support/hosted/run-hosted.ts';
import { hostedWorkshop } from '../support/program/batches.ts';
import { testWhole } from '../support/setup/extent.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** What a command each makes. */
const FOLDERS = ['a', 'b', 'c'].slice(0, isWhole ? 3 : 2);

/** Every file that processes share the queue in, below a machine's folder. */
async function sharedFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /queue-\d+\.db$/.test(name)).map((name) => join(folder, name));
}

describe('Commands with one key, at the same time', () => {
  test('have five jobs together, never one more', async () => {
    const { shop, service } = await hostedWorkshop({ serviceTime: 300, slack: 10 });
    for (const [n, folder] of FOLDERS.entries()) await shop.drawMany(folder, 6, 100 * n);
    const ended = await Promise.all([
      ...FOLDERS.slice(1).map((folder) => shop.start(['generate', folder, '--out', `out-${folder}`])),
      shop.run('generate', 'a', '--out', 'out-a'),
    ]);
    expect(ended.map(({ exitCode }) => exitCode)).toEqual(FOLDERS.map(() => 0));
    const { accepted, mostUnfinished, refusals } = service.records;
    expect([accepted.length, mostUnfinished <= 5, refusals]).toEqual([6 * FOLDERS.length, true, {}]);
  });

  // Otherwise dispatch/peers/shared-works knows whose a picture is.
  testWhole('on one folder never make two jobs for one picture, even with --ndjson', async () => {
    const { shop, service } = await hostedWorkshop({ serviceTime: 200, slack: 10, known: 'nothing' });
    await shop.drawMany('skins', 12);
    service.hold();
    const both = Promise.all([
      shop.start(['generate', 'skins', '--out', 'out']),
      shop.run('generate', 'skins', '--ndjson'),
    ]);
    await whenRequested(service, 'me', 2); // else one may have ended before the other began
    service.release();
    const ended = await both;
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(ended[1].stdout.trim().split('\n')).toHaveLength(12);
    expect([service.records.accepted.length, service.records.mostUnfinished <= 5]).toEqual([12, true]);
  });

  // Otherwise dispatch/peers knows processes that are gone.
  testWhole('give the slots of a command that is killed to the other within seconds', async () => {
    const { shop, service } = await hostedWorkshop({ serviceTime: 300, slack: 10 });
    await shop.drawMany('a', 10);
    await shop.drawMany('b', 10, 100);
    const doomed = shop.start(['generate', 'a', '--out', 'out-a']);
    await whenAccepted(service, 3);
    const other = shop.run('generate', 'b', '--out', 'out-b');
    await whenAccepted(service, 6);
    doomed.kill('SIGKILL');
    await doomed;
    expect(await other).toMatchObject({ exitCode: 0 });
    expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
    expect(await shop.run('generate', 'a', '--out', 'out-a')).toMatchObject({ exitCode: 0 });
    expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([20, []]);
  });

  test('create shared files again after damage', async () => {
    const { shop } = await hostedWorkshop();
    await shop.drawMany('skins', 2);
    expect(await shop.run('generate', 'skins', '--out', 'out')).toMatchObject({ exitCode: 0 });
    const [file = ''] = await sharedFiles(shop.machine.folder);
    await writeFile(file, 'This is no database. '.repeat(500));
    await shop.drawMany('more', 2, 10);
    const { exitCode, stderr } = await shop.run('generate', 'more', '--out', 'out-more', '--verbose');
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Cannot coordinate')]);
  });

  test('continue alone where nothing can be shared, and say so with --verbose', async () => {
    const { shop } = await hostedWorkshop();
    await shop.drawMany('skins', 2);
    await mkdir(shop.machine.dataDir, { recursive: true });
    await mkdir(join(shop.machine.dataDir, 'batches'));
    await writeFile(join(shop.machine.dataDir, 'batches', 'shares'), 'This is no folder.');
    const { exitCode, stderr } = await shop.run('generate', 'skins', '--out', 'out', '--verbose');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Cannot coordinate')]);
  });
});
