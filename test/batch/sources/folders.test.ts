import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Coverage } from '../../../src/batch/model.ts';
import { walkFolder } from '../../../src/batch/sources/folders.ts';
import { IgnoreRules } from '../../../src/batch/sources/ignore-rules.ts';
import { allOf, folderOf, rootsIn } from '../../support/batch/read-sources.ts';

test('A run treats sources as gone only in folders that it could read completely', async () => {
  const cwd = await folderOf({
    'whole/a.png': 'a',
    'cut/a.png': 'a',
    'cut/below/.skinsmithignore': '#'.repeat(64 * 1024 + 1),
  });
  symlinkSync('nowhere', join(cwd, 'whole/broken.png'));
  const coverage = new Coverage();
  const sources = await allOf({ args: ['whole', 'cut'], recursive: true }, { ...rootsIn(cwd), coverage });
  expect(sources.map(({ content: { kind } }) => kind)).toEqual(['problem', 'file', 'file', 'problem']);
  const covered = ['whole/gone.png', 'cut/gone.png'].map((path) => coverage.folderOf(join(cwd, path)));
  expect(covered).toEqual([{ path: join(cwd, 'whole'), recursive: true, isEmpty: false }, undefined]);
});

test('Signals are handled while the files of a large folder are compared with patterns', async () => {
  const path = await folderOf(Array.from({ length: 50 }, (_, index) => `${index}.png`));
  const rules = IgnoreRules.given(['none.png']);
  let isHeard: boolean | undefined;
  const heardBefore: boolean[] = [];
  vi.spyOn(rules, 'ignores').mockImplementation(() => {
    if (isHeard === undefined) setImmediate(() => (isHeard = true));
    isHeard ??= false;
    heardBefore.push(isHeard);
    return false;
  });
  for await (const { files } of walkFolder({ label: path, path }, { recursive: false, rules }))
    expect(files).toHaveLength(50);
  expect([heardBefore.at(0), heardBefore.at(-1)]).toEqual([false, true]);
});
