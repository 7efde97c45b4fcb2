import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restoreFolder } from '../../../src/base/files.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const TWO_HOURS = 2 * 60 * 60 * 1000;
/** Larger than any process id of a system. */
const NO_PROCESS = 2 ** 31 - 1;

test.each([
  ['older', 'newer'],
  ['newer', 'older'],
])(
  'The newest of several folders that killed runs moved aside comes back, whatever they are called',
  async (...names) => {
    const folder = await ownFolder();
    const at = (name: string) =>
      join(folder, `.pack.replaced.${NO_PROCESS}.ffffffff0000000${names.indexOf(name)}.tmp`);
    for (const name of names) {
      mkdirSync(at(name));
      writeFileSync(join(at(name), name), '');
    }
    const changed = (name: string) => statSync(at(name)).ctimeMs;
    // Times of file systems have steps of some milliseconds.
    while (changed('newer') <= changed('older')) chmodSync(at('newer'), 0o700);
    restoreFolder(join(folder, 'pack'), Date.now() + TWO_HOURS);
    expect(readdirSync(folder)).toEqual(['pack']);
    expect(readdirSync(join(folder, 'pack'))).toEqual(['newer']);
  },
);
