import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BatchResult } from '../../../src/batch/model.ts';
import { IntoPlugin } from '../../../src/cli/plugins/into-plugin.ts';
import { makePlugin, skinDataOf } from '../../support/cli/plugin-folders.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

/** The skin of a source, with data of its own. */
function made(name: string, source: string): BatchResult {
  const { url, ...data } = skinDataOf(source);
  return { source, stem: name, skin: { ...data, name, texture: { url } } } as unknown as BatchResult;
}

test.each([
  ['Citizens', 'saves.yml'],
  ['TAB', 'skincache.yml'],
])(
  'The first of two sources with one name goes into %s, and the run says that the second failed',
  async (plugin, file) => {
    const folder = await makePlugin(await ownFolder(), plugin, ['Guard']);
    const into = new IntoPlugin(folder);
    for (const source of ['a/Guard.png', 'b/Guard.png']) into.add(made('Guard', source));
    into.write(Date.now());
    const text = await readFile(join(folder, file), 'utf8');
    expect(
      [skinDataOf('a/Guard.png').value, skinDataOf('b/Guard.png').value].map((one) => text.includes(one)),
    ).toEqual([true, false]);
    for (const json of [false, true]) {
      let hasAll: boolean | undefined;
      const { err } = await runCommand(
        async (context) => {
          hasAll = await into.tell(context);
        },
        { flags: { json, quiet: false } },
      );
      expect([json, hasAll]).toEqual([json, false]);
      expect(err).toContain('another source has this name too (b/Guard.png)');
    }
  },
);
