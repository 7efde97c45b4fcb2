import type { Grants } from '../../protocol/account.ts';
import type { PlanLimits, PlanView } from '../../protocol/plan.ts';

/** What a caller may have. */
export interface Plan {
  readonly name: string;
  /** Unfinished jobs in the queue at one time. */
  readonly spots: number;
  /** New generations in any minute and in any hour. */
  readonly perMinute: number;
  readonly perHour: number;
  /** Milliseconds between generations outside the queue: POST /v2/generate and version 1. */
  readonly delay: number;
  /** Jobs processed at the same time. */
  readonly concurrency: number;
  /** Share of the workers while others want them too: twice the number gets twice as many skins done. */
  readonly priority: number;
  readonly adFree: boolean;
  readonly privateSkins: boolean;
  readonly earlyAccess: boolean;
  readonly batchGeneration: boolean;
  readonly capes: boolean;
}

/** Spots of everybody, as the service's specification has it. */
const SPOTS = 5;

const NOTHING_MORE = {
  adFree: false,
  privateSkins: false,
  earlyAccess: false,
  batchGeneration: false,
  capes: false,
} as const;

const ALL = {
  adFree: true,
  privateSkins: true,
  earlyAccess: true,
  batchGeneration: true,
  capes: true,
} as const;

/**
 * `anonymous` has the strictest limits, `free` is what a new user has; lite to pro are what the specification
 * calls subscriptions. `owner` is whoever runs the service: its limits only keep a runaway loop from filling
 * the disk.
 */
export const PLANS = {
  anonymous: {
    name: 'anonymous',
    spots: SPOTS,
    perMinute: 20,
    perHour: 300,
    delay: 3_000,
    concurrency: 1,
    priority: 1,
    ...NOTHING_MORE,
  },
  free: {
    name: 'free',
    spots: SPOTS,
    perMinute: 60,
    perHour: 1_500,
    delay: 1_000,
    concurrency: 1,
    priority: 2,
    ...NOTHING_MORE,
  },
  lite: {
    name: 'lite',
    spots: 8,
    perMinute: 120,
    perHour: 4_000,
    delay: 500,
    concurrency: 2,
    priority: 4,
    ...NOTHING_MORE,
    adFree: true,
    privateSkins: true,
  },
  basic: {
    name: 'basic',
    spots: 10,
    perMinute: 240,
    perHour: 8_000,
    delay: 250,
    concurrency: 3,
    priority: 6,
    ...ALL,
    earlyAccess: false,
    batchGeneration: false,
  },
  plus: {
    name: 'plus',
    spots: 15,
    perMinute: 480,
    perHour: 16_000,
    delay: 100,
    concurrency: 4,
    priority: 8,
    ...ALL,
    earlyAccess: false,
  },
  pro: {
    name: 'pro',
    spots: 25,
    perMinute: 1_200,
    perHour: 40_000,
    delay: 0,
    concurrency: 8,
    priority: 12,
    ...ALL,
  },
  owner: {
    name: 'owner',
    spots: SPOTS,
    perMinute: 60_000,
    perHour: 2_000_000,
    delay: 0,
    concurrency: 64,
    priority: 12,
    ...ALL,
  },
} as const satisfies Record<string, Plan>;

/** The plans of this service. */
export class Plans {
  readonly #plans: ReadonlyMap<string, Plan>;

  /** @param changes plans that take the place of built-in ones of their name, or join them */
  constructor(changes: readonly Plan[] = []) {
    this.#plans = new Map([...Object.values(PLANS), ...changes].map((plan) => [plan.name, plan]));
  }

  has(name: string): boolean {
    return this.#plans.has(name);
  }

  all(): Plan[] {
    return [...this.#plans.values()];
  }

  /** The plan a user's row names; one that is not known any more counts as `free`. */
  named(name: string): Plan {
    return this.#plans.get(name) ?? this.#plans.get('free') ?? PLANS.free;
  }
}

/** What /v2/me says that the plan grants. */
export function grantsOf(plan: Plan): Grants {
  return { ...limitsOf(plan), plan: plan.name };
}

export function planView(plan: Plan): PlanView {
  return { name: plan.name, ...limitsOf(plan) };
}

function limitsOf(plan: Plan): PlanLimits {
  return {
    queue: plan.spots,
    per_minute: plan.perMinute,
    per_hour: plan.perHour,
    delay: plan.delay / 1000,
    concurrency: plan.concurrency,
    priority: plan.priority,
    ad_free: plan.adFree,
    private_skins: plan.privateSkins,
    early_access: plan.earlyAccess,
    batch_generation: plan.batchGeneration,
    capes: plan.capes,
  };
}

/** The plan that a view of it stands for. */
export function planFrom(view: PlanView): Plan {
  return {
    name: view.name,
    spots: view.queue,
    perMinute: view.per_minute,
    perHour: view.per_hour,
    delay: Math.round(view.delay * 1000),
    concurrency: view.concurrency,
    priority: view.priority,
    adFree: view.ad_free,
    privateSkins: view.private_skins,
    earlyAccess: view.early_access,
    batchGeneration: view.batch_generation,
    capes: view.capes,
  };
}
