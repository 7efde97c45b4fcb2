import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LockfileError } from '../../../../src/batch/lockfile/entries.ts';
import type { Lockfile } from '../../../../src/batch/lockfile/lockfile.ts';
import type { Coverage } from '../../../../src/batch/model.ts';
import { goneSources } from '../../../../src/batch/run/save-files.ts';
import type { LockEntry } from '../../../../src/protocol/lock-line.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

interface Row {
  readonly id: string;
  readonly outputs: readonly { readonly name: string; readonly files: readonly string[] }[];
}

/** Rows of one list, whose skin data is their id; `fault`: what reading them throws. */
function lockfileOf(rows: readonly Row[], fault: Error | undefined): Lockfile {
  const record = (id: string) => ({ list: 'list.csv', outputs: rows.find((row) => row.id === id)?.outputs });
  return {
    sources: () => rows.map(({ id }) => id),
    recordOf: record,
    records: () => rows.map(({ id }, entry) => ({ entry, record: record(id) })),
    sourceOf: (entry: number) => rows[entry]?.id,
    readAll: (id: string) => {
      if (fault) throw fault;
      return [{ value: `value of ${id}`, signature: '' } as LockEntry];
    },
  } as unknown as Lockfile;
}

/** What is gone after a run over the whole list, which had these rows. */
async function goneAfter(
  rows: readonly Row[],
  there: readonly string[],
  { stems = [], fault }: { stems?: readonly string[]; fault?: Error } = {},
) {
  const lockDir = await ownFolder();
  const write = (name: string, text: string) => writeFileSync(join(lockDir, name), text);
  const coverage = { folderOf: () => undefined, hasList: () => true } as unknown as Coverage;
  const read = () =>
    goneSources({
      ...{ lockfile: lockfileOf(rows, fault), lockDir, coverage },
      ...{ sources: new Set(there), stems: new Set(stems) },
    }).map(({ id, outputs }) => [id, outputs.map((path) => path.slice(lockDir.length + 1))]);
  return { lockDir, write, read };
}

test('Rows that a list no longer has are gone, with the files that hold their skins', async () => {
  const rows = [
    { id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt', 'gone.txt'] }] },
    { id: 'row:bob', outputs: [{ name: 'bob', files: ['bob.txt'] }] },
  ];
  const { write, read } = await goneAfter(rows, ['row:bob']);
  write('ann.txt', 'value of row:ann');
  write('bob.txt', 'value of row:bob');
  expect(read()).toEqual([['row:ann', ['ann.txt']]]);
});

test('A file stays that another source uses, that has other content now, or that is no plain file', async () => {
  const files = ['shared.txt', 'changed.txt', 'folder', 'link.txt', 'own.txt'];
  const rows = [
    { id: 'row:ann', outputs: [{ name: 'ann', files }] },
    { id: 'row:bob', outputs: [{ name: 'bob', files: ['shared.txt'] }] },
  ];
  const { lockDir, write, read } = await goneAfter(rows, ['row:bob']);
  for (const name of ['shared.txt', 'own.txt']) write(name, 'value of row:ann');
  write('changed.txt', 'something of the user');
  mkdirSync(join(lockDir, 'folder'));
  symlinkSync('own.txt', join(lockDir, 'link.txt'));
  expect(read()).toEqual([['row:ann', ['own.txt']]]);
});

test('The outputs of a name that this run has used stay', async () => {
  const rows = [{ id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt'] }] }];
  const { write, read } = await goneAfter(rows, [], { stems: ['ann'] });
  write('ann.txt', 'value of row:ann');
  expect(read()).toEqual([['row:ann', []]]);
});

test('The outputs of an entry that cannot be read stay; another fault ends the run', async () => {
  const rows = [{ id: 'row:ann', outputs: [{ name: 'ann', files: ['ann.txt'] }] }];
  const unreadable = new LockfileError('lockfile_invalid', { path: 'skins.lock', reason: 'not JSON' });
  const { write, read } = await goneAfter(rows, [], { fault: unreadable });
  write('ann.txt', 'value of row:ann');
  expect(read()).toEqual([['row:ann', []]]);
  const fault = new Error('The disk cannot be read.');
  const { read: readFrom } = await goneAfter(rows, [], { fault });
  expect(readFrom).toThrow(fault);
});
