import fs from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packWorkshop, shownIn } from '../../support/cli/pack-workshop.ts';

const { renameSync, rmSync } = fs;
/** Above the largest that Linux gives. */
const NO_PROCESS = 4_194_999;

/** Steps that put folders into their places: before each of them `before` may fail. */
function watchSteps(before: (step: number) => void) {
  let step = 0;
  const watched =
    <A extends unknown[]>(act: (...args: A) => void) =>
    (...args: A) => {
      before(++step);
      act(...args);
    };
  [fs.renameSync, fs.rmSync] = [watched(renameSync), watched(rmSync)];
  syncBuiltinESMExports();
  const unwatch = () => {
    [fs.renameSync, fs.rmSync] = [renameSync, rmSync];
    syncBuiltinESMExports();
  };
  onTestFinished(unwatch);
  return unwatch;
}

/** A workshop with a pack and its functions in folders, whose source is gone by now. */
async function folderWorkshop() {
  const workshop = await packWorkshop();
  const out = join(workshop.folder, 'pack');
  const datapack = join(workshop.folder, 'functions');
  const pack = async () => await workshop.pack({ out, datapack });
  await workshop.draw('guard.png', 1);
  await pack();
  await workshop.remove('guard.png');
  await workshop.draw('GUARD.png', 2);
  const shown = async () => {
    const paths = (await readdir(out, { recursive: true })).filter((path) => path.endsWith('.png'));
    const files = await Promise.all(paths.map(async (path) => [path, await readFile(join(out, path))]));
    return shownIn(Object.fromEntries(files));
  };
  return { ...workshop, out, datapack, pack, shown };
}

const BEFORE = { guard: 1 };
const AFTER = { guard: 1, 'guard-f61b20': 2 };
/** Two renames and a removal for each of both packs. */
const STEPS = [1, 2, 3, 4, 5, 6];

test.each(STEPS)(
  'If step %i fails, a pack in a folder is either the old one or the new one',
  async (failing) => {
    const { pack, shown, folder } = await folderWorkshop();
    const stop = watchSteps((step) => {
      if (step === failing) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    });
    const failed = await pack();
    stop();
    expect(failed.told?.code).toBeDefined();
    expect(await shown()).toEqual(failing < 3 ? BEFORE : AFTER);
    expect((await pack()).status).toBe(0);
    expect(await shown()).toEqual(AFTER);
    expect((await readdir(folder)).filter((name) => /^\.functions/.test(name))).toEqual(
      failing === 6 ? [expect.stringMatching(/^\.functions\.replaced\./)] : [],
    );
  },
);

test.each(STEPS)(
  'After a kill before step %i, the next run has all names, and leaves nothing behind',
  async (end) => {
    const { pack, shown, folder } = await folderWorkshop();
    const stop = watchSteps((step) => {
      if (step >= end) throw new Error('Killed.');
    });
    await pack();
    stop();
    for (const name of await readdir(folder))
      if (name.endsWith('.tmp'))
        await rename(
          join(folder, name),
          join(folder, name.replace(/\.\d+\.(?=\w+\.tmp$)/, `.${NO_PROCESS}.`)),
        );
    expect((await pack()).status).toBe(0);
    expect(await shown()).toEqual(AFTER);
    expect((await readdir(folder)).toSorted()).toEqual(['functions', 'pack', 'skins']);
  },
);

test('A pack in a folder is on the disk before it is put into its place', async () => {
  const { pack, out, folder } = await folderWorkshop();
  const flushed = new Set<string>();
  const { fsyncSync } = fs;
  const probe = await fs.promises.open(join(folder, 'pack', 'skins.json'));
  const handle = Object.getPrototypeOf(probe);
  await probe.close();
  const { sync } = handle;
  const nameOf = (fd: number) => fs.readlinkSync(`/proc/self/fd/${fd}`);
  handle.sync = async function (this: { fd: number }) {
    flushed.add(nameOf(this.fd));
  };
  fs.fsyncSync = (fd) => void flushed.add(nameOf(fd));
  onTestFinished(() => {
    handle.sync = sync;
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  });
  const unflushed: string[] = [];
  watchSteps((step) => {
    if (step !== 1) return;
    const [aside = ''] = fs.readdirSync(folder).filter((name) => /^\.pack\.\d/.test(name));
    const all = fs.readdirSync(join(folder, aside), { recursive: true, encoding: 'utf8' });
    unflushed.push(...all.filter((path) => !flushed.has(join(folder, aside, path))));
    expect(all).toContain('skins.json');
  });
  expect((await pack()).status).toBe(0);
  expect(unflushed).toEqual([]);
  expect(fs.existsSync(out)).toBe(true);
});
