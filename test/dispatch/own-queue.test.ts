import { expect, test } from 'vitest';
import { OwnQueue } from '../../src/dispatch/own-queue.ts';
import { Spots } from '../../src/dispatch/spots.ts';
import type { Submission } from '../../src/dispatch/submission.ts';
import { openJob } from '../support/dispatch/machine.ts';

test('A process that shares its queue with nobody has all spots, and may always request the list', () => {
  const spots = new Spots<Submission>(5);
  const queue = new OwnQueue(spots);
  spots.took(openJob('a'));
  spots.unsure.add({ key: 'b' } as Submission);
  expect([queue.take(2), queue.take(3), queue.pending]).toEqual(['full', 'mine', 1]);
  expect([queue.isShared, queue.isElsewhere(), queue.tryLook()]).toEqual([false, false, 0]);
});
