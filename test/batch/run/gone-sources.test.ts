import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LockfileError } from '../../../src/batch/lockfile/entries.ts';
import type { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import type { Coverage } from '../../../src/batch/model.ts';
import { goneSources, isOutputPlace, labelOf } from '../../../src/batch/run/gone-sources.ts';
import { lockEntry, valueFor } from '../../support/batch/lock-entry.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const hasForm = (path: string) => !path.endsWith('.md');

interface Row {
  readonly id: string;
  readonly outputs: readonly { readonly name: string; readonly files: readonly string[] }[];
}

/** Rows of one list; `fault`: what reading them throws. */
function lockfileOf(rows: readonly Row[], fault: Error | undefined): Lockfile {
  const record = (id: string) => ({ list: 'list.csv', outputs: rows.find((row) => row.id === id)?.outputs });
  return {
    sources: () => rows.map(({ id }) => id),
    recordOf: record,
    records: () => rows.map(({ id }, entry) => ({ entry, record: record(id) })),
    sourceOf: (entry: number) => rows[entry]?.id,
    readAll: (id: string) => {
      if (fault) throw fault;
      return [lockEntry({ source: id, value: valueFor(id) })];
    },
  } as unknown as Lockfile;
}

/** What is gone after a run over the whole list, which had these rows. */
async function goneAfter(
  rows: readonly Row[],
  there: readonly string[],
  { stems = [], fault, ...over }: { stems?: readonly string[]; fault?: Error; outputs?: undefined } = {},
) {
  const lockDir = await ownFolder();
  const write = (name: string, text: string) => writeFileSync(join(lockDir, name), text);
  const coverage = { folderOf: () => undefined, hasList: () => true } as unknown as Coverage;
  const read = () =>
    goneSources({
      ...{ lockfile: lockfileOf(rows, fault), lockDir, coverage },
      ...{ sources: new Set(there), stems: new Set(stems), outputs: { hasForm } },
      ...over,
    }).map(({ id, outputs }) => [id, outputs.map((path) => path.slice(lockDir.length + 1))]);
  return { lockDir, write, read };
}

test('Rows that a list no longer has are gone, with the files that hold their skins', async () => {
  const rows = [
    { id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt', 'gone.txt'] }] },
    { id: 'row:bob', outputs: [{ name: 'bob', files: ['bob.txt'] }] },
  ];
  const { write, read } = await goneAfter(rows, ['row:bob']);
  write('ann.txt', valueFor('row:ann'));
  write('bob.txt', valueFor('row:bob'));
  expect(read()).toEqual([['row:ann', ['ann.txt']]]);
});

test('A file is kept if another source uses it, its content or form differs, or it is not a regular file', async () => {
  const files = ['shared.txt', './shared.txt', 'page.md', 'changed.txt', 'folder', 'link.txt', 'own.txt'];
  const rows = [
    { id: 'row:ann', outputs: [{ name: 'ann', files }] },
    { id: 'row:bob', outputs: [{ name: 'bob', files: ['shared.txt'] }] },
  ];
  const { lockDir, write, read } = await goneAfter(rows, ['row:bob']);
  for (const name of ['shared.txt', 'own.txt', 'page.md']) write(name, valueFor('row:ann'));
  write('changed.txt', 'something of the user');
  mkdirSync(join(lockDir, 'folder'));
  symlinkSync('own.txt', join(lockDir, 'link.txt'));
  expect(read()).toEqual([['row:ann', ['own.txt']]]);
});

test('Outputs under a name that this run has used stay', async () => {
  const rows = [{ id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt'] }] }];
  const { write, read } = await goneAfter(rows, [], { stems: ['ann'] });
  write('ann.txt', valueFor('row:ann'));
  expect(read()).toEqual([['row:ann', []]]);
});

test('All files are kept if the form of an output cannot be recognized', async () => {
  const rows = [{ id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt'] }] }];
  const { write, read } = await goneAfter(rows, [], { outputs: undefined });
  write('ann.txt', valueFor('row:ann'));
  expect(read()).toEqual([['row:ann', []]]);
});

test('Outputs may be in the folder that the user named for them, outside of the lockfile’s', async () => {
  const folder = await ownFolder();
  const path = join(folder, 'ann.json');
  expect([
    isOutputPlace(path, ['/elsewhere', folder]),
    isOutputPlace(path, ['/elsewhere', undefined]),
  ]).toEqual([true, false]);
  expect(isOutputPlace(join(folder, 'new', 'ann.json'), [folder])).toBe(true);
  symlinkSync(await ownFolder(), join(folder, 'link'));
  expect(isOutputPlace(join(folder, 'link', 'ann.json'), [folder])).toBe(false);
});

test('The outputs of an entry that cannot be read stay; another fault ends the run', async () => {
  const rows = [{ id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt'] }] }];
  const unreadable = new LockfileError('lockfile_invalid', { path: 'skins.lock', reason: 'not JSON' });
  const { write, read } = await goneAfter(rows, [], { fault: unreadable });
  write('ann.txt', valueFor('row:ann'));
  expect(read()).toEqual([['row:ann', []]]);
  const fault = new Error('The disk cannot be read.');
  const { read: readFrom } = await goneAfter(rows, [], { fault });
  expect(readFrom).toThrow(fault);
});

test('A file is called by its path from the current folder, and any other source by its id', () => {
  expect(labelOf('guards/ann.png', join(process.cwd(), 'skins'))).toBe(join('skins', 'guards', 'ann.png'));
  expect(labelOf('user:ann', process.cwd())).toBe('user:ann');
});
