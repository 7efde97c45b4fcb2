import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OpenJob, Slots, type Submission } from '../../../src/dispatch/limits.ts';
import type { Job } from '../../../src/protocol/job.ts';

const RUNS = { numRuns: 300, seed: 20_251_121 };

function makeWork(key = 'k'): Submission {
  return { key, variant: 'auto', visibility: undefined, cape: undefined, attempt: 0, losses: 0 };
}

function openJob(id: string, work = makeWork(id)): OpenJob<Submission> {
  return { id, work, isTimed: true, timestamp: undefined, acceptedAt: 0, eta: undefined };
}

const seen = (id: string, status: Job['status'] = 'waiting'): Job => ({ id, status });

describe('Slots', () => {
  test('are in use from the moment a submission is sent, and only once', () => {
    const slots = new Slots();
    const work = makeWork();
    slots.unsure.add(work);
    expect(slots.ours).toBe(1);
    slots.took(openJob('a', work));
    expect([slots.ours, slots.unsure.size, slots.jobs.size]).toEqual([1, 0, 1]);
  });

  test('report each change of use, and nothing else', () => {
    const slots = new Slots();
    let changes = 0;
    slots.onChange = () => changes++;
    const steps = [() => slots.took(openJob('a')), () => slots.freed('a'), () => slots.freed('unknown')];
    const told = steps.map((step) => {
      step();
      return changes;
    });
    expect(told).toEqual([1, 2, 2]);
  });

  test('report a sent submission and its job, each once', () => {
    const slots = new Slots();
    let changes = 0;
    slots.onChange = () => changes++;
    const work = makeWork();
    const steps = [
      () => slots.unsure.add(work),
      () => slots.took(openJob('a', work)),
      () => slots.unsure.delete(work),
    ];
    const told = steps.map((step) => {
      step();
      return changes;
    });
    expect(told).toEqual([1, 2, 2]);
  });

  test('are taken by jobs of other callers in the queue', () => {
    const slots = new Slots();
    slots.took(openJob('mine'));
    slots.sawList(
      [seen('mine'), seen('a'), seen('b', 'processing'), seen('c', 'unknown'), seen('d', 'failed')],
      1,
    );
    expect([slots.others, slots.ours]).toEqual([3, 1]);
    slots.sawList([seen('mine'), seen('a'), seen('b', 'completed')], 1);
    expect(slots.others).toBe(1);
  });

  test('follow polls of single jobs', () => {
    const slots = new Slots();
    slots.sawJob(seen('a'), 0);
    slots.sawJob(seen('a', 'processing'), 0);
    slots.sawJob(seen('b'), 0);
    expect(slots.others).toBe(2);
    slots.sawJob(seen('b', 'failed'), 0);
    expect(slots.others).toBe(1);
  });

  test('keep a job that was seen after the request for a list without it', () => {
    const slots = new Slots();
    slots.sawJob(seen('left by a dead process'), 1_000);
    slots.sawList([], 999);
    expect(slots.others).toBe(1);
    slots.sawList([], 1_001);
    expect(slots.others).toBe(0);
  });

  test('count a job that was seen before its submission was answered as ours once it is answered', () => {
    const slots = new Slots();
    slots.sawList([seen('a')], 1);
    expect([slots.others, slots.ours]).toEqual([1, 0]);
    slots.took(openJob('a'));
    expect([slots.others, slots.ours]).toEqual([0, 1]);
    slots.sawJob(seen('a', 'processing'), 0);
    expect([slots.others, slots.ours]).toEqual([0, 1]);
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

  test('never count a job twice', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const slots = new Slots();
        for (const one of steps) {
          if (one.kind === 'list') slots.sawList(one.jobs, 1);
          else if (one.kind === 'heard') slots.sawJob(one.job, 0);
          else if (one.kind === 'ended') slots.freed(one.id);
          else slots.took(openJob(one.id));
          expect(slots.ours + slots.others).toBeLessThanOrEqual(8);
        }
      }),
      RUNS,
    );
  });
});
