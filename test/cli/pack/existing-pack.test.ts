import fs from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runPack } from '../../../src/cli/commands/pack.ts';
import { packWorkshop, shownIn } from '../../support/cli/pack-workshop.ts';
import { runCommand } from '../../support/cli/run-command.ts';

const { renameSync } = fs;
const META = '{"pack":{"description":"","min_format":69,"max_format":97}}';

/** A folder of others with skins in it. Returns how to put skins there, also with a kill before some rename. */
async function folderOfOthers() {
  const workshop = await packWorkshop();
  const into = join(workshop.folder, 'server');
  await mkdir(into);
  await writeFile(join(into, 'pack.mcmeta'), META);
  const pack = async () =>
    await runCommand(async (context) => await runPack([workshop.skins], { into, prune: true }, context), {});
  const unwatch = () => {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  };
  onTestFinished(unwatch);
  const packUntil = async (end: number) => {
    let renames = 0;
    fs.renameSync = (from, to) => {
      if (++renames >= end) throw new Error('Killed.');
      renameSync(from, to);
    };
    syncBuiltinESMExports();
    const ran = await pack();
    unwatch();
    return ran;
  };
  const shown = async () => {
    const paths = (await readdir(into, { recursive: true })).filter((path) => path.endsWith('.png'));
    const files = await Promise.all(paths.map(async (path) => [path, await readFile(join(into, path))]));
    return shownIn(Object.fromEntries(files));
  };
  return { ...workshop, into, pack, packUntil, shown };
}

/** Both indexes, and two textures that changed. */
const RENAMES = [1, 2, 3, 4];

test.each(RENAMES)(
  "After a kill before rename %i in someone else's folder, the next run puts all current skins there",
  async (end) => {
    for (const isBack of [false, true]) {
      const { draw, remove, pack, packUntil, shown, into } = await folderOfOthers();
      await draw('anna.png', 1);
      await draw('guard.png', 2);
      await draw('tom.png', 3);
      expect((await pack()).status).toBe(0);
      await draw('anna.png', 4);
      await draw('guard.png', 5);
      await remove('tom.png');
      expect((await packUntil(end)).status).toBeUndefined();
      if (isBack) {
        await draw('anna.png', 1);
        await draw('guard.png', 2);
      }
      expect((await pack()).status).toBe(0);
      expect(await shown()).toEqual(isBack ? { anna: 1, guard: 2 } : { anna: 4, guard: 5 });
      expect((await pack()).err).not.toContain('changed since');
      expect(await readFile(join(into, 'pack.mcmeta'), 'utf8')).toBe(META);
    }
  },
);

test("Unchanged skins are not written again into someone else's folder", async () => {
  const { draw, pack, into } = await folderOfOthers();
  await draw('anna.png', 1);
  await draw('guard.png', 2);
  await pack();
  const texture = join(into, 'assets/skinsmith/textures/entity/player/anna.png');
  const before = fs.statSync(texture).ino;
  await draw('guard.png', 3);
  expect((await pack()).status).toBe(0);
  expect(fs.statSync(texture).ino).toBe(before);
});
