import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeLicences, describePackages } from '../../bundle/licences.ts';
import { ownFolder } from '../support/server/own-folder.ts';

const RULE = '='.repeat(78);

/** Folders of packages with these files beside their package.json. */
async function packagesOf(
  files: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<string[]> {
  const root = await ownFolder();
  return await Promise.all(
    Object.entries(files).map(async ([name, texts]) => {
      const folder = join(root, name);
      await mkdir(folder);
      const about = JSON.stringify({ name, version: '1.0.0', license: 'MIT' });
      for (const [file, text] of Object.entries({ 'package.json': about, ...texts })) {
        await writeFile(join(folder, file), text);
      }
      return folder;
    }),
  );
}

test('Packages with the same licence text share it, and each keeps its copyright holders', async () => {
  const folders = await packagesOf({
    one: { LICENSE: 'MIT License\n\nCopyright (c) 2020 Ann\n\nDo as you\nlike.\n' },
    two: {
      'license.md': 'The MIT License (MIT)\r\n\r\nCopyright Bob\r\n(c) 2021 Cid\r\n\r\nDo as you like.',
    },
    three: { LICENCE: 'Copyright Dan\n\nDo nothing.\n' },
  });
  expect(describeLicences(folders)).toBe(
    [
      `${RULE}\none 1.0.0 (MIT)\nCopyright (c) 2020 Ann\n\ntwo 1.0.0 (MIT)\nCopyright Bob\n(c) 2021 Cid`,
      '\n\nMIT License\n\nDo as you\nlike.\n\n',
      `${RULE}\nthree 1.0.0 (MIT)\nCopyright Dan\n\nDo nothing.\n`,
    ].join(''),
  );
});

test('A package without a licence file is named with the kind of its licence', async () => {
  const folders = await packagesOf({ bare: {} });
  expect(describeLicences(folders)).toContain('bare 1.0.0 (MIT)');
});

test('The bill of materials names each package with its version and licence', async () => {
  const folders = await packagesOf({ one: {} });
  const bill = JSON.parse(describePackages(folders));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'skinsmith' } } });
  const purl = 'pkg:npm/one@1.0.0';
  expect(bill.components).toEqual([
    {
      type: 'library',
      name: 'one',
      version: '1.0.0',
      purl,
      'bom-ref': purl,
      licenses: [{ expression: 'MIT' }],
    },
  ]);
});
