import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileMemory } from '../../../src/base/file-memory.ts';
import { DAY, DIGEST, OTHER } from '../../support/base/file-memories.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';

/** As many as a second thread pays for. */
const MANY = 2_000;

interface Remembered {
  readonly path: string;
  readonly files: readonly string[];
}

/** A memory of real files in one folder. */
async function remembered(count = MANY): Promise<Remembered> {
  const folder = await ownFolder();
  const files = Array.from({ length: count }, (_, n) => join(folder, `${n}.png`));
  const path = join(await ownFolder(), 'files.bin');
  const memory = openLater(path);
  for (const file of files) {
    writeFileSync(file, 'a picture');
    memory.rememberOwn(file, statSync(file), DIGEST);
  }
  memory.save();
  return { path, files };
}

/** Opens it when all files are old enough to be trusted. */
function openLater(path: string, days = 0): FileMemory {
  return FileMemory.open(path, () => Date.now() + 60_000 + days * DAY);
}

/** Asks for each file, and once more when the thread has come to the last one. */
async function untilForeseen(memory: FileMemory, files: readonly string[]): Promise<void> {
  for (const file of files) memory.foresee(file);
  await poll(
    () => memory.foresee(files.at(-1)!),
    (digest) => digest !== undefined,
  );
  for (const file of files) memory.foresee(file);
}

describe('Foreseeing', () => {
  test('tells what an unchanged file was, without a look at it', async () => {
    const { path, files } = await remembered();
    const memory = openLater(path);
    expect(memory.foresee(files[0]!)).toBeUndefined();
    await untilForeseen(memory, files);
    expect(new Set(files.map((file) => memory.foresee(file)))).toEqual(new Set([DIGEST]));
  });

  test('says nothing about files that have changed, are gone, or were never seen', async () => {
    const { path, files } = await remembered();
    writeFileSync(files[7]!, 'another picture');
    rmSync(files[8]!);
    const memory = openLater(path);
    await untilForeseen(memory, files);
    expect([files[7]!, files[8]!, `${files[9]}x`].map((file) => memory.foresee(file))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('says nothing about files that changed a moment before the memory was opened', async () => {
    const { path, files } = await remembered();
    const { ctimeMs } = statSync(files[7]!);
    const memory = FileMemory.open(path, () => ctimeMs + 1_000);
    for (const file of files) memory.foresee(file);
    const next = openLater(path);
    await untilForeseen(next, files); // the same thread, so it has done the other look by now
    expect(memory.foresee(files[7]!)).toBeUndefined();
  });

  test('says nothing about changed files either when others have been forgotten', async () => {
    const { path, files } = await remembered(MANY + 100);
    const kept = files.slice(100);
    const memory = openLater(path, 80);
    await untilForeseen(memory, kept);
    memory.save();
    const changed = files.slice(300, 400);
    for (const file of changed) writeFileSync(file, 'another picture');
    const later = openLater(path, 100);
    await untilForeseen(later, kept);
    later.rememberOwn(files[150]!, statSync(files[150]!), OTHER);
    later.save(); // the first hundred go, and all others move
    expect(changed.filter((file) => later.foresee(file) !== undefined)).toEqual([]);
  });
});
