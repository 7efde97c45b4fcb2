import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { Coverage, type Member } from '../../../../src/batch/model.ts';
import type { BatchOptions } from '../../../../src/batch/options.ts';
import { LockfileChanges, type OpenBatch, saveFiles } from '../../../../src/batch/run/batch-files.ts';
import { keyOf, recordOf } from '../../../support/batch/journal-records.ts';
import { lockEntry, valueFor } from '../../../support/batch/lock-entry.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

interface Ending {
  readonly isOver?: boolean;
  /** No room for what all results make together. */
  readonly isLastFull?: boolean;
  readonly failed?: number;
  readonly hasLockfile?: boolean;
  readonly force?: boolean;
  readonly follow?: boolean;
  readonly isDiskFull?: boolean;
}

/** What becomes of a batch's files when it ends like this. */
async function stepsOf(ending: Ending): Promise<string[]> {
  const {
    isOver = true,
    failed = 0,
    hasLockfile = false,
    force = false,
    isDiskFull = false,
    isLastFull = false,
    follow,
  } = ending;
  const steps: string[] = [];
  const step = (name: string) => () => {
    steps.push(name);
  };
  const rewrite = () => {
    steps.push('lockfile written');
    if (isDiskFull) throw new Error('no space left');
    return true;
  };
  const files = {
    lockfile: hasLockfile ? { rewrite, cacheScan: () => {}, recordOf: () => undefined } : undefined,
    journal: {
      retire: ({ keepsJobs }: { keepsJobs: boolean }) =>
        steps.push(keepsJobs ? 'journal retired, open jobs kept' : 'journal retired'),
      end: step('journal ended'),
      close: step('journal closed'),
    },
    digests: { save: step('digests saved') },
  } as unknown as OpenBatch;
  const changes = new LockfileChanges();
  changes.add({ id: 'a', pixels: undefined } as Member, { key: 'k' });
  const deliverAll = ({ isWhole }: { readonly isWhole: boolean }) => {
    if (isLastFull) throw new Error(`no space left, ${isWhole}`);
  };
  const options = { force, deliverAll, ...(follow !== undefined && { follow }) } as BatchOptions;
  const end = { changes, isOver, isWhole: isOver, failed, hasReadAll: true };
  try {
    saveFiles(options, files, end);
  } catch (error) {
    steps.push((error as Error).message);
  }
  return steps;
}

test('A journal is removed once the lockfile has its skins, whether or not sources failed', async () => {
  const all = ['lockfile written', 'digests saved', 'journal retired, open jobs kept'];
  expect(await stepsOf({ hasLockfile: true })).toEqual(all);
  expect(await stepsOf({ hasLockfile: true, failed: 1 })).toEqual(all);
});

test('Without a lockfile a journal with failures is kept: the next run would pay for its skins again', async () => {
  expect(await stepsOf({ failed: 1 })).toEqual(['digests saved', 'journal ended', 'journal closed']);
  expect(await stepsOf({ failed: 0 })).toEqual(['digests saved', 'journal retired, open jobs kept']);
});

test('A run that makes everything again leaves nothing to resume, with or without failures', async () => {
  expect(await stepsOf({ failed: 1, force: true })).toEqual(['digests saved', 'journal retired']);
});

test('A run that does not wait for its jobs leaves them to the next run, which submits them again', async () => {
  expect(await stepsOf({ follow: false })).toEqual(['digests saved', 'journal retired']);
  expect(await stepsOf({ follow: true })).toEqual(['digests saved', 'journal retired, open jobs kept']);
});

test('A journal with work left to do is kept, and continues where it is', async () => {
  const kept = ['digests saved', 'journal closed'];
  expect(await stepsOf({ isOver: false })).toEqual(kept);
  expect(await stepsOf({ isOver: false, hasLockfile: true })).toEqual(['lockfile written', ...kept]);
});

test('A journal is kept if its skins could not be written to the lockfile', async () => {
  expect(await stepsOf({ hasLockfile: true, isDiskFull: true })).toEqual([
    'lockfile written',
    'journal closed',
    'no space left',
  ]);
});

test('A journal is kept if the file of all results cannot be written', async () => {
  const steps = ['digests saved', 'journal closed', 'no space left, true'];
  expect(await stepsOf({ isLastFull: true })).toEqual(steps);
});

test.each([
  ['nothing has changed', {}, false, []],
  ['nothing has changed, but entries are dropped', { prune: true }, true, ['rewrite', 'a']],
  ['not all sources were read, so that none is dropped', { prune: true }, false, []],
])('The lockfile is rewritten only if that makes a difference: %s', async (_, options, hasReadAll, steps) => {
  const told: string[] = [];
  const rewrite = (_: unknown, keep: (source: string) => boolean) => {
    told.push('rewrite', ...['a', 'b'].filter(keep));
    return true;
  };
  const nothing = () => {};
  const lockfile = {
    rewrite,
    cacheScan: nothing,
    sources: () => ['a', 'b'],
    records: () => [],
    entriesOf: () => [0, 1],
    workOf: () => '',
  };
  const files = {
    lockfile: { ...lockfile, recordOf: () => ({ list: 'list' }) },
    journal: { retire: nothing },
    digests: { save: nothing },
  } as unknown as OpenBatch;
  const changes = new LockfileChanges();
  changes.addSource({ id: 'a', stem: 'a' });
  const end = { changes, isOver: true, isWhole: true, failed: 0, hasReadAll };
  const coverage = new Coverage();
  coverage.addList(resolve('list'));
  const outcome = saveFiles({ ...options, coverage } as BatchOptions, files, end);
  expect(told).toEqual(steps);
  const dropped = { written: true, dropped: 2, gone: [{ id: 'b' }] };
  expect(outcome).toMatchObject(steps.length > 0 ? dropped : { written: false, dropped: 0, gone: [] });
});

test.each([
  ['not all sources were read', { prune: true }, false],
  ['nothing is to be dropped', {}, true],
])('Every entry is kept where %s', async (_, options, hasReadAll) => {
  const kept: string[] = [];
  const rewrite = (_changes: unknown, keep: (source: string) => boolean) => {
    kept.push(...['a', 'gone'].filter(keep));
    return true;
  };
  const nothing = () => {};
  const files = {
    lockfile: { rewrite, cacheScan: () => {}, recordOf: () => undefined },
    journal: { retire: nothing },
    digests: { save: nothing },
  };
  const changes = new LockfileChanges();
  changes.add({ id: 'a', pixels: undefined } as Member, { key: 'k' });
  const end = { changes, isOver: true, isWhole: true, failed: 0, hasReadAll };
  saveFiles(options as BatchOptions, files as unknown as OpenBatch, end);
  expect(kept).toEqual(['a', 'gone']);
});

test('A result in neither journal nor lockfile is a bug, not an entry', async () => {
  const rewrite = (entries: Iterable<unknown>) => [...entries].length > 0;
  const files = {
    lockfile: { rewrite, cacheScan: () => {}, recordOf: () => undefined },
    journal: undefined,
    digests: { save: () => {} },
  };
  const changes = new LockfileChanges();
  changes.add({ id: 'a', pixels: undefined } as Member, { key: 'k' });
  const end = { changes, isOver: true, isWhole: true, failed: 0, hasReadAll: true };
  const save = () => saveFiles({} as BatchOptions, files as unknown as OpenBatch, end);
  expect(save).toThrow('A result without a journal.');
});

interface Written {
  readonly options?: Partial<BatchOptions>;
  /** What the journal has of each piece of work. */
  readonly done?: object;
  /** What the list has of the source. */
  readonly record?: object;
}

/** The entries that the results of `keys` make, all of one source. */
function entriesOf(keys: readonly string[], { options = {}, done = recordOf(1), record }: Written = {}) {
  const entries: object[] = [];
  const rewrite = (all: Iterable<object>) => entries.push(...all) > 0;
  const files = {
    lockfile: { rewrite, cacheScan: () => {}, recordOf: () => record },
    journal: { retire: () => {}, readDone: () => done },
    digests: { save: () => {} },
  } as unknown as OpenBatch;
  const changes = new LockfileChanges();
  for (const key of keys) changes.add({ id: 'a', pixels: undefined } as Member, { key });
  const end = { changes, isOver: true, isWhole: true, failed: 0, hasReadAll: true };
  saveFiles(options as BatchOptions, files, end);
  return entries;
}

test.each([
  ['61699b2e-d327-4a01-9f1e-0ea8c3f06bc6', { cape: '61699b2ed3274a019f1e0ea8c3f06bc6' }],
  [undefined, {}],
])('An entry names the cape that its skin was made with: %s', async (cape, named) => {
  const entries = entriesOf([keyOf(1)], { options: { cape } });
  const options = { variant: 'auto', visibility: 'public', ...named };
  expect(entries).toMatchObject([{ source: 'a', options }]);
  expect(Object.keys((entries[0] as { options: object }).options)).toEqual(Object.keys(options));
});

test.each([
  ['the service’s own key', { key: 'ab'.repeat(32) }],
  ['the game', { signer: 'mojang' }],
  ['nobody that is known', {}],
])('An entry names who signed: %s', async (_, signedBy) => {
  const { key: __, ...record } = recordOf(1);
  const named = entriesOf([keyOf(1)], { done: { ...record, ...signedBy } }).map((entry) =>
    Object.entries(entry).filter(([field]) => /^(key|signer)$/.test(field)),
  );
  expect(named).toEqual([Object.entries(signedBy)]);
});

test('A source given twice with the same options gets one entry, without an empty record', async () => {
  const entries = entriesOf([keyOf(1), keyOf(1), keyOf(2)], { record: {} });
  expect(entries).toMatchObject(Array(2).fill({ source: 'a', record: undefined }));
});

test('--prune removes entries with their files, and the other entries keep their records', async () => {
  const folder = await ownFolder();
  const output = join(folder, 'gone.txt');
  await writeFile(output, valueFor('gone'));
  const entries: unknown[] = [];
  const rewrite = (all: Iterable<unknown>) => {
    entries.push(...all);
    return true;
  };
  const record = { list: 'list.csv', outputs: [{ name: 'gone', files: ['gone.txt'] }] };
  const lockfile = {
    ...{
      rewrite,
      cacheScan: () => {},
      sources: () => ['a', 'gone'],
      recordOf: () => record,
      entriesOf: () => [],
      workOf: () => '',
    },
    records: () => [],
    readAll: () => [lockEntry({ source: 'gone', value: valueFor('gone') })],
  };
  const files = {
    lockfile,
    journal: { retire: () => {}, readDone: () => recordOf(1) },
    digests: { save: () => {} },
  } as unknown as OpenBatch;
  const changes = new LockfileChanges();
  changes.addSource({ id: 'a', stem: 'a' });
  changes.add({ id: 'a', pixels: undefined } as Member, { key: keyOf(1) });
  const coverage = new Coverage();
  coverage.addList(join(folder, 'list.csv'));
  const outputs = { hasForm: () => true };
  const lockfilePath = join(folder, 'skins.lock');
  const options = { prune: true, coverage, outputs, lockfile: lockfilePath } as unknown as BatchOptions;
  saveFiles(options, files, { changes, isOver: true, isWhole: true, failed: 0, hasReadAll: true });
  expect(entries).toMatchObject([{ source: 'a', record }]);
  expect(existsSync(output)).toBe(false);
});
