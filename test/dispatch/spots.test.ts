import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OpenJob, Spots } from '../../src/dispatch/spots.ts';
import type { Submission } from '../../src/dispatch/submission.ts';
import type { Job } from '../../src/protocol/job.ts';

const RUNS = { numRuns: 300, seed: 20_251_121 };

function makeWork(key = 'k'): Submission {
  return { key, variant: 'auto', visibility: undefined, cape: undefined, attempt: 0, losses: 0 };
}

function openJob(id: string, work = makeWork(id)): OpenJob<Submission> {
  return { id, work, isTimed: true, timestamp: undefined, acceptedAt: 0, eta: undefined };
}

/** Whether one more may be submitted by a process that may have `share` of the spots. */
function isOpen(spots: Spots<Submission>, share: number): boolean {
  return spots.ours < share && spots.ours + spots.foreignJobs(() => false) < spots.limit;
}

const seen = (id: string, status: Job['status'] = 'waiting'): Job => ({ id, status });

describe('Spots', () => {
  test('are open up to the limit', () => {
    const spots = new Spots(2);
    expect([spots.limit, spots.ours, isOpen(spots, 2)]).toEqual([2, 0, true]);
    spots.took(openJob('a'));
    expect([spots.ours, isOpen(spots, 2)]).toEqual([1, true]);
    spots.took(openJob('b'));
    expect([spots.ours, isOpen(spots, 2), isOpen(spots, 9)]).toEqual([2, false, false]);
    spots.freed('a');
    expect([spots.ours, isOpen(spots, 2)]).toEqual([1, true]);
  });

  test('are open up to the share that this batch has of them', () => {
    const spots = new Spots(5);
    spots.took(openJob('a'));
    expect([0, 1, 2].map((share) => isOpen(spots, share))).toEqual([false, false, true]);
  });

  test('are taken by a submission from the moment it is sent, and once only', () => {
    const spots = new Spots(1);
    const work = makeWork();
    spots.unsure.add(work);
    expect([spots.ours, isOpen(spots, 1)]).toEqual([1, false]);
    spots.took(openJob('a', work));
    expect([spots.ours, spots.unsure.size, spots.jobs.size]).toEqual([1, 0, 1]);
  });

  test('tell each change of what is taken, and nothing else', () => {
    const spots = new Spots(3);
    let changes = 0;
    spots.onChange = () => changes++;
    const steps = [() => spots.took(openJob('a')), () => spots.freed('a'), () => spots.freed('unknown')];
    const told = steps.map((step) => {
      step();
      return changes;
    });
    expect(told).toEqual([1, 2, 2]);
  });

  test('tell a submission that is sent and one that became a job, each once', () => {
    const spots = new Spots(3);
    let changes = 0;
    spots.onChange = () => changes++;
    const work = makeWork();
    const steps = [
      () => spots.unsure.add(work),
      () => spots.took(openJob('a', work)),
      () => spots.unsure.delete(work),
    ];
    const told = steps.map((step) => {
      step();
      return changes;
    });
    expect(told).toEqual([1, 2, 2]);
  });

  test('are taken by what others have in the queue', () => {
    const spots = new Spots(3);
    spots.took(openJob('mine'));
    spots.sawList(
      [seen('mine'), seen('a'), seen('b', 'processing'), seen('c', 'unknown'), seen('d', 'failed')],
      1,
    );
    expect([spots.others, spots.ours, isOpen(spots, 3)]).toEqual([3, 1, false]);
    spots.sawList([seen('mine'), seen('a'), seen('b', 'completed')], 1);
    expect([spots.others, isOpen(spots, 3)]).toEqual([1, true]);
  });

  test('follow what is heard of single jobs', () => {
    const spots = new Spots(2);
    spots.sawJob(seen('a'), 0);
    spots.sawJob(seen('a', 'processing'), 0);
    spots.sawJob(seen('b'), 0);
    expect([spots.others, isOpen(spots, 2)]).toEqual([2, false]);
    spots.sawJob(seen('b', 'failed'), 0);
    expect([spots.others, isOpen(spots, 2)]).toEqual([1, true]);
  });

  test('keep a job that was heard of after a list was requested that lacks it', () => {
    const spots = new Spots(5);
    spots.sawJob(seen('left by a dead process'), 1_000);
    spots.sawList([], 999);
    expect(spots.others).toBe(1);
    spots.sawList([], 1_001);
    expect(spots.others).toBe(0);
  });

  test('count a job that was seen before its answer came as ours once it has', () => {
    const spots = new Spots(5);
    spots.sawList([seen('a')], 1);
    expect([spots.others, spots.ours]).toEqual([1, 0]);
    spots.took(openJob('a'));
    expect([spots.others, spots.ours]).toEqual([0, 1]);
    spots.sawJob(seen('a', 'processing'), 0);
    expect([spots.others, spots.ours]).toEqual([0, 1]);
  });

  test('are one at least', () => {
    const spots = new Spots(5);
    spots.limit = 0;
    expect([spots.limit, isOpen(spots, 1)]).toEqual([1, true]);
  });

  const id = fc.constantFrom(...'abcdefgh');
  const status = fc.constantFrom('waiting' as const, 'processing' as const, 'completed' as const);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('list' as const),
      jobs: fc.array(fc.record({ id, status }), { maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant('heard' as const), job: fc.record({ id, status }) }),
    fc.record({ kind: fc.constant('accepted' as const), id }),
    fc.record({ kind: fc.constant('ended' as const), id }),
  );

  test('never count a job twice, and are never overrun', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (steps, limit) => {
        const spots = new Spots(limit);
        for (const one of steps) {
          if (one.kind === 'list') spots.sawList(one.jobs, 1);
          else if (one.kind === 'heard') spots.sawJob(one.job, 0);
          else if (one.kind === 'ended') spots.freed(one.id);
          else if (isOpen(spots, limit)) spots.took(openJob(one.id));
          expect(spots.ours).toBeLessThanOrEqual(limit);
          expect(spots.ours + spots.others).toBeLessThanOrEqual(8);
        }
      }),
      RUNS,
    );
  });
});
