import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dumpFormat, verifyDump } from '../../../../src/server/backup/backup.ts';
import { dumpText, pgRestoreFolder } from '../../../support/postgres/pg-restore.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const TABLES = ['api_keys', 'callers', 'jobs', 'meta', 'skins', 'texture_data', 'textures', 'users', 'capes'];
const GOOD = { filled: TABLES, meta: 'oldest-reader\t19\nschema\t24' };

async function verified(content: string, path?: string): Promise<number> {
  const file = join(await ownFolder(), 'it.dump');
  await writeFile(file, content);
  const env = { PATH: path ?? (await pgRestoreFolder()) };
  return await verifyDump(file, { env, signal: new AbortController().signal });
}

test('A complete dump of a store is accepted, and its schema is reported', async () => {
  expect(await verified(dumpText(GOOD))).toBe(24);
});

test.each([
  ['that lacks its last bytes', dumpText(GOOD).slice(0, -1), 'backup_damaged', /end of file/],
  ['cut off in its table of contents', dumpText(GOOD).slice(0, 40), 'backup_damaged', /end of file/],
  ['of another program', dumpText({ filled: ['x'] }), 'backup_unreadable', /the data of api_keys, callers,/],
  [
    'without the rows of one table',
    dumpText({ ...GOOD, filled: TABLES.slice(0, -1), empty: ['capes'] }),
    'backup_unreadable',
    /the data of capes is missing/,
  ],
  ['of no known schema', dumpText({ ...GOOD, meta: '' }), 'backup_unreadable', /does not state the schema/],
  ['of a newer pg_dump', dumpText({ ...GOOD, version: '1.99' }), 'pg_restore_too_old', /version \(1\.99\)/],
])('A dump %s is refused', async (_, content, code, message) => {
  await expect(verified(content)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('The error names what to install where pg_restore is missing', async () => {
  await expect(verified(dumpText(GOOD), await ownFolder())).rejects.toMatchObject({
    code: 'pg_restore_missing',
    hint: expect.stringContaining('Install the client programs of PostgreSQL'),
  });
});

test.each([
  ['PGDMP\u0001\u000f', 'archive'],
  ['toc.dat\0\0\0', 'archive'],
  ['toc.dat.txt', undefined],
  ['--\n-- PostgreSQL database dump\n--\n', 'plain'],
  ['--\n-- PostgreSQL database cluster dump\n--\n', 'plain'],
  ['SQLite format 3\0', undefined],
  ['', undefined],
])('A file that begins with %j is recognized', async (content, format) => {
  const file = join(await ownFolder(), 'it');
  await writeFile(file, content);
  expect(await dumpFormat(file)).toBe(format);
});

test('A dump in a directory is recognized by its table of contents', async () => {
  const folder = join(await ownFolder(), 'dump');
  await mkdir(folder);
  await expect(dumpFormat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  await writeFile(join(folder, 'toc.dat'), 'PGDMP\u0001\u000f');
  expect(await dumpFormat(folder)).toBe('archive');
});
