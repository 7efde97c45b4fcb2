import { LookTimes, type RunningJob } from '../../../src/dispatch/look-times.ts';

/** A service as a test wants it. Times in milliseconds. */
export interface SimulatedService {
  /** How long the n-th job takes, from 0. */
  readonly serviceTime: (job: number) => number;
  /** The service's estimate; absent: none. */
  readonly eta?: (job: number) => number | undefined;
  /** What a request takes; half of it on its way there. */
  readonly roundTrip?: number;
}

interface SimulatedJob extends RunningJob {
  readonly number: number;
  readonly serviceTime: number;
  readonly endsAt: number;
}

const SLOTS = 5;
export const LONGEST_PAUSE = 5_000;
/** Timers are late by this. */
const TIMER_LAG = 0.5;
const MAX_LOOKS = 10_000;
const MAX_WAKES = 100;

/**
 * A batch that fills all slots at once, sleeps until `LookTimes` says that it is time, looks, and fills what has
 * opened. The service works on all slots at once, and tells how long each job took.
 */
export class WaveSimulation {
  /** When each look was sent. */
  readonly looks: number[] = [];
  /** For each job, the time from its end until it was known here. */
  readonly idle: number[] = [];
  readonly times = new LookTimes(LONGEST_PAUSE);
  readonly #service: SimulatedService;
  readonly #roundTrip: number;
  #open: SimulatedJob[] = [];
  #begun = 0;
  #now = 0;
  #lastLook = 0;

  constructor(service: SimulatedService) {
    this.#service = service;
    this.#roundTrip = service.roundTrip ?? 2;
  }

  run(count: number): this {
    while (this.#begun < count || this.#open.length > 0) {
      this.#fill(count);
      this.#sleep();
      this.#look();
      if (this.looks.length > MAX_LOOKS) throw new Error('It does not come to an end.');
    }
    return this;
  }

  #fill(count: number): void {
    const sentAt = this.#now;
    for (; this.#open.length < SLOTS && this.#begun < count; this.#begun++) {
      const serviceTime = this.#service.serviceTime(this.#begun);
      this.#open.push({
        number: this.#begun,
        serviceTime,
        acceptedAt: sentAt + this.#roundTrip,
        eta: this.#service.eta?.(this.#begun),
        endsAt: sentAt + this.#roundTrip / 2 + serviceTime,
      });
      this.#now = sentAt + this.#roundTrip;
    }
  }

  /** Asks again each time it wakes, because it may be woken for other reasons. */
  #sleep(): void {
    for (let wakes = 0; wakes < MAX_WAKES; wakes++) {
      const at = this.times.next(this.#open, {
        now: this.#now,
        lastLook: this.#lastLook,
        roundTrip: this.#roundTrip,
      });
      if (at <= this.#now) return;
      this.#now = at + TIMER_LAG;
    }
    throw new Error(`It was never time to look, up to ${this.#now}.`);
  }

  #look(): void {
    this.looks.push(this.#now);
    this.#lastLook = this.#now;
    const seenAt = this.#now + this.#roundTrip / 2;
    this.#now += this.#roundTrip;
    for (const job of this.#open.filter(({ endsAt }) => endsAt <= seenAt)) {
      this.idle[job.number] = this.#now - job.endsAt;
      this.times.ended(job, job.serviceTime);
    }
    const pending = this.#open.filter(({ endsAt }) => endsAt > seenAt);
    this.#open = pending.map((job) => ({ ...job, seenAt: this.#lastLook }));
  }
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
