import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import { seededRandom } from '../../../src/double/seed.ts';
import { VirtualClock } from '../scripted/virtual-clock.ts';
import { openWorld } from './batches-in-memory.ts';
import { cutOff, type Disturb, type HostedInMemory } from './hosted-in-memory.ts';

/** What a world is made of: a clock that moves by itself, and chance that is the same for the same seed. */
export interface Around {
  readonly clock: VirtualClock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** How the service and the way to it behave. Times in milliseconds. */
export interface World extends Omit<HostedOptions, 'clock'> {
  /** Accepts every fifth submission, but loses the answer, after this many milliseconds; default: 0. */
  readonly loses?: boolean | { readonly takenAfter: number };
  readonly disturb?: Disturb;
}

export interface WorldOutcome {
  readonly made: number;
  readonly failed: number;
  /** Submissions of pictures that the service had accepted before. */
  readonly twice: number;
  readonly mostPending: number;
  readonly requests: number;
  /** The batch's messages about waits, each once. */
  readonly said: readonly string[];
  readonly milliseconds: number;
}

/** Runs a batch of this many skins to its end. */
export async function runWorld(
  make: (around: Around) => World,
  { skins = 30, seed = 1 } = {},
): Promise<WorldOutcome> {
  const clock = new VirtualClock();
  const chance = seededRandom(seed);
  const random = () => chance(1_000_000) / 1_000_000;
  const { loses = false, disturb, ...options } = make({ clock, random });
  const { hosted, waits, batch } = await openWorld(options, clock);
  if (disturb) hosted.disturb = disturb;
  if (loses) hosted.disturb = losing(hosted, clock, loses === true ? 0 : loses.takenAfter);
  const { made, failed } = await clock.until(batch(skins, { random }));
  const { doubleSubmissions, mostUnfinished } = hosted.records;
  return {
    made,
    failed,
    twice: doubleSubmissions.length,
    mostPending: mostUnfinished,
    requests: hosted.seen.length,
    said: [...new Set(waits.map(({ message }) => message))],
    milliseconds: clock.monotonic(),
  };
}

/** Over what was there to disturb. */
function losing(hosted: HostedInMemory, clock: VirtualClock, takenAfter: number): Disturb {
  const { disturb } = hosted;
  let submissions = 0;
  return async (request, process) => {
    if (request.kind !== 'submit' || ++submissions % 5 > 0) return await disturb(request, process);
    if (takenAfter === 0) await process();
    else void clock.sleep(takenAfter).then(process);
    throw cutOff();
  };
}
