import { expect, test } from 'vitest';
import { Slots, type Submission } from '../../../src/dispatch/limits.ts';
import { machine, openJob } from '../../support/dispatch/machine.ts';

const calm = { isUrgent: false };
const EMPTY = { jobs: [], links: {} };

interface Known {
  /** What this process and another one have learned of how long jobs take. */
  readonly own?: number | undefined;
  readonly theirs?: number | undefined;
  /** How old the job of this process is, and that of the other one. */
  readonly ownAge?: number;
  readonly theirAge?: number;
}

/** Milliseconds that a process has to wait when it wants its third list after two at once. */
async function waitFor({ own, theirs, ownAge, theirAge }: Known): Promise<number> {
  const { open, clock } = await machine();
  const [slots, others] = [new Slots<Submission>(), new Slots<Submission>()];
  const one = await open(slots, { typical: () => own });
  await open(others, { typical: () => theirs });
  clock.forward(1_000_000);
  await open(others, { typical: () => theirs });
  if (ownAge !== undefined) slots.took(openJob('ours', clock.monotonic() - ownAge));
  if (theirAge !== undefined) others.took(openJob('theirs', clock.monotonic() - theirAge));
  for (let n = 0; n < 2; n++) {
    if (one.tryLook(calm) !== 0) return Number.NaN;
    one.endLook(0, EMPTY);
  }
  return one.tryLook(calm);
}

// Of short jobs three lists come every two jobs: after two of them the third waits for two thirds of a job.
test.each<[what: string, known: Known, job: number]>([
  ['this process has learned', { own: 600 }, 600],
  ['another process has learned', { theirs: 600 }, 600],
  ['the one that knows of longer jobs has learned', { own: 600, theirs: 900 }, 900],
  ['the one that knows of longer jobs has learned, whichever it is', { own: 900, theirs: 600 }, 900],
  ['was learned, not by a job that has hardly begun', { own: 600, ownAge: 100 }, 600],
  ['was learned, not by a job that takes a second', { own: 450, ownAge: 1_000 }, 450],
  ['a job takes already, up to twice what was learned', { own: 450, ownAge: 1_001 }, 900],
  ['a job takes already that may be stuck', { own: 450, ownAge: 900_000 }, 900],
  ['a job takes already, where nothing was learned', { ownAge: 750 }, 750],
  ["another process's job takes already", { theirAge: 750 }, 750],
  ['the older job takes already', { ownAge: 300, theirAge: 750 }, 750],
])('Processes request shared lists as rarely as %s', async (_, known, job) => {
  expect(await waitFor(known)).toBe(Math.ceil(job / 1.5));
});

test('Lists that processes share are as rare as for jobs of ten seconds when a job takes longer', async () => {
  const { open, clock } = await machine();
  const slots = new Slots<Submission>();
  const [one] = [await open(slots), await open()];
  clock.forward(100_000);
  slots.took(openJob('ours', 0));
  await open();
  const waits: number[] = [];
  for (let n = 0; n < 3; n++) {
    waits.push(one.tryLook(calm));
    one.endLook(0, EMPTY);
    clock.forward(520);
  }
  // Each list costs two thirds of a job; twice, 520 ms have passed since.
  expect(waits).toEqual([0, 0, Math.ceil((10_000 - 2 * 780) / 1.5)]);
});
