import { expect, test, vi } from 'vitest';
import { walkFolder } from '../../../src/batch/sources/folders.ts';
import { IgnoreRules } from '../../../src/batch/sources/ignore-rules.ts';
import { folderOf } from '../../support/batch/read-sources.ts';

test('Signals are heard while the files of a large folder are compared with patterns', async () => {
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
