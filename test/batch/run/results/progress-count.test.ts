import { expect, onTestFinished, test, vi } from 'vitest';
import type { BatchResult } from '../../../../src/batch/model.ts';
import type { SourceDecision } from '../../../../src/batch/run/planner.ts';
import { isMade, ProgressCount } from '../../../../src/batch/run/results.ts';
import { UNPROVED } from '../../../../src/batch/signers.ts';

const NOTHING = {
  sources: 0,
  known: 0,
  repeated: 0,
  wanted: 0,
  made: 0,
  resumed: 0,
  existing: 0,
  unchanged: 0,
  given: 0,
  failed: 0,
  unproved: 0,
  submitted: 0,
  finished: 0,
  allRead: false,
  queued: 0,
};

function planned(decision: Partial<SourceDecision> & Pick<SourceDecision, 'kind'>) {
  return { decision } as Parameters<ProgressCount['planned']>[0];
}

function result(over: object): BatchResult {
  return { index: 0, source: 'a', stem: 'a', warnings: [], ...over } as unknown as BatchResult;
}

test.each([
  ['new', 'wanted'],
  ['repeated', 'repeated'],
  ['locked', 'known'],
  ['given', 'known'],
  ['unverified', 'known'],
  ['refused', undefined],
  ['failed', undefined],
] as const)('A source that is %s counts as %s', (kind, field) => {
  const count = new ProgressCount();
  count.planned(planned({ kind }));
  expect(count.progress(0)).toEqual({ ...NOTHING, sources: 1, ...(field && { [field]: 1 }) });
});

test.each([
  ['an earlier run', 'journal', 'known'],
  ['this run', 'repeated', 'repeated'],
] as const)('A source whose skin %s made counts as %s', (_, origin, field) => {
  const count = new ProgressCount();
  count.planned(planned({ kind: 'done', origin }));
  expect(count.progress(0)).toEqual({ ...NOTHING, sources: 1, [field]: 1 });
});

test('Skins of other signers and of unknown ones are counted separately', () => {
  const count = new ProgressCount();
  count.planned(planned({ kind: 'locked', hasUnknownSigner: true }));
  count.planned(planned({ kind: 'locked' }));
  count.planned(planned({ kind: 'new', outdated: { signer: 'https://other.example' } }));
  count.planned(planned({ kind: 'new' }));
  expect([count.signers.unknownSigner, count.signers.list.length]).toEqual([1, 1]);
});

test.each([
  ['a skin made now', { origin: 'made', skin: {} }, { made: 1 }],
  ['a skin that the service had', { origin: 'made', skin: { duplicate: true } }, { existing: 1 }],
  ['a skin of the lockfile', { origin: 'lockfile', skin: {} }, { unchanged: 1 }],
  ['skin data', { origin: 'given', skin: {} }, { given: 1 }],
  ['a skin of another source', { origin: 'repeated', skin: {} }, {}],
  [
    'a skin made now by nobody known',
    { origin: 'made', skin: { signedBy: { signer: UNPROVED } } },
    { made: 1, unproved: 1 },
  ],
  [
    'a skin of the journal by nobody known',
    { origin: 'journal', skin: { signedBy: { signer: UNPROVED } } },
    { resumed: 1 },
  ],
  ['a failure', { error: { code: 'a', message: 'b' } }, { failed: 1 }],
])('%s is counted as finished', (_, over, counts) => {
  const count = new ProgressCount();
  count.finished(result(over));
  expect(count.progress(3)).toEqual({ ...NOTHING, queued: 3, finished: 1, ...counts });
  expect(count.failed).toBe('error' in over ? 1 : 0);
});

test('The summary gives the number of sources left, and no time if nothing was submitted', () => {
  const count = new ProgressCount();
  for (const kind of ['new', 'new', 'locked'] as const) count.planned(planned({ kind }));
  count.finished(result({ origin: 'lockfile' }));
  expect(count.summary(0)).toMatchObject({ sources: 3, left: 2, milliseconds: 0 });
  count.accepted();
  count.handedOver();
  count.hasReadAll = true;
  expect(count.summary(1)).toMatchObject({ submitted: 1, finished: 2, left: 1, allRead: true, queued: 1 });
  count.finished(result({ origin: 'made', skin: {} }));
  expect(count.summary(0).milliseconds).toBeGreaterThanOrEqual(0);
  expect(count.hasReadAll).toBe(true);
});

test('A skin is made by this run or by an earlier one of the same batch, and not if the service had it', () => {
  const made = (['made', 'journal', 'lockfile', 'repeated', 'given'] as const).filter((origin) =>
    isMade({ origin, skin: undefined }),
  );
  expect(made).toEqual(['made', 'journal']);
  expect(isMade({ origin: 'made', skin: { duplicate: true } as BatchResult['skin'] })).toBe(false);
});

test('The time of a batch runs from its first job to its last result', () => {
  const now = vi.spyOn(performance, 'now');
  onTestFinished(() => now.mockRestore());
  const count = new ProgressCount();
  for (const [time, happen] of [
    [100, () => count.accepted()],
    [200, () => count.accepted()],
    [350, () => count.finished(result({ origin: 'made', skin: {} }))],
    [900, () => {}],
  ] as const) {
    now.mockReturnValue(time);
    happen();
  }
  expect(count.summary(0).milliseconds).toBe(250);
});
