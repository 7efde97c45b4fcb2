import { expect, test } from 'vitest';
import type { Member } from '../../../src/batch/model/work.ts';
import type { BatchOptions } from '../../../src/batch/options/options.ts';
import { LockfileChanges } from '../../../src/batch/run/lockfile-changes.ts';
import type { OpenBatch } from '../../../src/batch/run/open-batch.ts';
import { saveFiles } from '../../../src/batch/run/save-files.ts';

interface Ending {
  readonly isOver?: boolean;
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
    follow,
  } = ending;
  const steps: string[] = [];
  const step = (name: string) => () => {
    steps.push(name);
  };
  const rewrite = async () => {
    steps.push('lockfile written');
    if (isDiskFull) throw new Error('no space left');
    return { written: true, dropped: 0 };
  };
  const files = {
    lockfile: hasLockfile ? { rewrite } : undefined,
    journal: {
      retire: ({ keepsJobs }: { keepsJobs: boolean }) =>
        steps.push(keepsJobs ? 'journal retired, open jobs kept' : 'journal retired'),
      end: step('journal ended'),
      close: step('journal closed'),
    },
    memory: { save: step('memory saved') },
  } as unknown as OpenBatch;
  const changes = new LockfileChanges();
  changes.add({ id: 'a', pixels: undefined } as Member, { key: 'k' });
  const options = { force, ...(follow !== undefined && { follow }) } as BatchOptions;
  const end = { changes, isOver, failed, hasReadAll: true };
  await saveFiles(options, files, end).catch((error: Error) => steps.push(error.message));
  return steps;
}

test('A journal is removed once the lockfile has its skins, those that failed or not', async () => {
  const all = ['lockfile written', 'memory saved', 'journal retired, open jobs kept'];
  expect(await stepsOf({ hasLockfile: true })).toEqual(all);
  expect(await stepsOf({ hasLockfile: true, failed: 1 })).toEqual(all);
});

test('Without a lockfile a journal with failures is kept: the next run would pay for its skins again', async () => {
  expect(await stepsOf({ failed: 1 })).toEqual(['memory saved', 'journal ended', 'journal closed']);
  expect(await stepsOf({ failed: 0 })).toEqual(['memory saved', 'journal retired, open jobs kept']);
});

test('A run that makes everything anew has nothing to go on with, failures or not', async () => {
  expect(await stepsOf({ failed: 1, force: true })).toEqual(['memory saved', 'journal retired']);
});

test('A run that does not follow its jobs hands them over: the next one submits them again', async () => {
  expect(await stepsOf({ follow: false })).toEqual(['memory saved', 'journal retired']);
  expect(await stepsOf({ follow: true })).toEqual(['memory saved', 'journal retired, open jobs kept']);
});

test('A journal with work left to do is kept, and goes on where it is', async () => {
  const kept = ['memory saved', 'journal closed'];
  expect(await stepsOf({ isOver: false })).toEqual(kept);
  expect(await stepsOf({ isOver: false, hasLockfile: true })).toEqual(['lockfile written', ...kept]);
});

test('A journal whose skins the lockfile could not take is kept', async () => {
  expect(await stepsOf({ hasLockfile: true, isDiskFull: true })).toEqual([
    'lockfile written',
    'journal closed',
    'no space left',
  ]);
});

test.each([
  ['nothing has changed', {}, false, []],
  ['nothing has changed, but entries are dropped', { prune: true }, true, ['rewrite']],
  ['not all sources were read, so that none is dropped', { prune: true }, false, []],
])('The lockfile is rewritten only if that makes a difference: %s', async (_, options, hasReadAll, steps) => {
  const told: string[] = [];
  const rewrite = async () => {
    told.push('rewrite');
    return { written: true, dropped: 2 };
  };
  const nothing = () => {};
  const files = {
    lockfile: { rewrite },
    journal: { retire: nothing },
    memory: { save: nothing },
  } as unknown as OpenBatch;
  const end = { changes: new LockfileChanges(), isOver: true, failed: 0, hasReadAll };
  const outcome = await saveFiles(options as BatchOptions, files, end);
  expect(told).toEqual(steps);
  expect(outcome).toEqual(steps.length > 0 ? { written: true, dropped: 2 } : { written: false, dropped: 0 });
});
