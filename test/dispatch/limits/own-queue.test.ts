import { expect, test } from 'vitest';
import { OwnQueue, Slots, type Submission } from '../../../src/dispatch/limits.ts';
import { openJob } from '../../support/dispatch/machine.ts';

test('A process with a queue of its own has all slots, and may always request the list', () => {
  const slots = new Slots<Submission>();
  const queue = new OwnQueue(slots);
  slots.took(openJob('a'));
  slots.unsure.add({ key: 'b' } as Submission);
  expect([queue.take(2), queue.take(3), queue.pending]).toEqual(['full', 'mine', 1]);
  expect([queue.isShared, queue.isElsewhere(), queue.tryLook()]).toEqual([false, false, 0]);
});
