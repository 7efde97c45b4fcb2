/** What a caller may have. */
export interface Plan {
  readonly name: string;
  /** Unfinished jobs in the queue at one time. */
  readonly spots: number;
  /** New generations in a minute and in an hour of the clock. */
  readonly perMinute: number;
  readonly perHour: number;
  readonly privateSkins: boolean;
}

/** Spots of everybody, as the service's specification has it. */
const SPOTS = 5;

/**
 * `anonymous` has the strictest limits; `owner` is whoever runs the service: its limits only keep a
 * runaway loop from filling the disk.
 */
export const PLANS = {
  anonymous: { name: 'anonymous', spots: SPOTS, perMinute: 20, perHour: 300, privateSkins: false },
  free: { name: 'free', spots: SPOTS, perMinute: 600, perHour: 20_000, privateSkins: true },
  owner: { name: 'owner', spots: SPOTS, perMinute: 60_000, perHour: 2_000_000, privateSkins: true },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof PLANS;

/** The plan a user's row names; one that is not known any more counts as free. */
export function planNamed(name: string): Plan {
  return Object.hasOwn(PLANS, name) ? PLANS[name as PlanName] : PLANS.free;
}
