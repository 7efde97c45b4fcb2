import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ownFolder } from '../support/server/own-folder.ts';

const OPENER = join(import.meta.dirname, '../support/scripted/open-queue-file.ts');
const PROCESSES = 6;

/** In an object, because a process of execa is itself a promise of its end. */
async function startOpener(folder: string) {
  const opener = execa(process.execPath, [OPENER, folder]);
  await new Promise((resolve) => opener.stdout.once('data', resolve));
  return { opener };
}

test('Processes that create the file at the same moment all share it', async () => {
  for (const round of [1, 2, 3]) {
    const folder = join(await ownFolder(), `shares-${round}`);
    const openers = await Promise.all(Array.from({ length: PROCESSES }, () => startOpener(folder)));
    const time = Date.now() + 100;
    for (const { opener } of openers) opener.stdin.write(String(time));
    const said = await Promise.all(openers.map(async ({ opener }) => (await opener).stdout.split('\n')[1]));
    expect(said).toEqual(Array(PROCESSES).fill('shared'));
  }
});
