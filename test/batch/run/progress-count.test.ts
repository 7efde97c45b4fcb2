import { expect, test } from 'vitest';
import type { BatchResult } from '../../../src/batch/model/result.ts';
import { isMade, ProgressCount } from '../../../src/batch/run/progress-count.ts';

const result = (part: Partial<BatchResult>): BatchResult => ({
  index: 0,
  source: 'a.png',
  stem: 'a',
  content: { kind: 'file', path: 'a.png' } as BatchResult['content'],
  warnings: [],
  ...part,
});

test('Results are counted by where they came from', () => {
  const count = new ProgressCount();
  for (const origin of ['made', 'made', 'journal', 'lockfile', 'duplicate'] as const)
    count.finished(result({ origin }));
  count.finished(result({ error: { code: 'invalid_image', message: 'Not a PNG.' } }));
  expect(count.progress(0)).toMatchObject({ finished: 6, made: 2, resumed: 1, failed: 1 });
});

test('A skin is made by this run or by an earlier one of the same batch, and not if the service had it', () => {
  const made = (['made', 'journal', 'lockfile', 'duplicate', 'given'] as const).filter((origin) =>
    isMade({ origin, skin: undefined }),
  );
  expect(made).toEqual(['made', 'journal']);
  expect(isMade({ origin: 'made', skin: { duplicate: true } as BatchResult['skin'] })).toBe(false);
});
