import { readFile, stat } from 'node:fs/promises';
import type { z } from 'zod';
import { parsedJson } from '../../base/text.ts';
import type { Grants } from '../../protocol/account.ts';
import { type PlanLimits, type PlanView, planFileSchema } from '../../protocol/user.ts';
import type { SubmitLimits } from '../queue/port.ts';

/** What a caller is allowed. */
export interface Plan extends SubmitLimits {
  readonly name: string;
  readonly adFree: boolean;
  readonly privateSkins: boolean;
  readonly earlyAccess: boolean;
  readonly batchGeneration: boolean;
  readonly capes: boolean;
  /** Player names that a user may have. */
  readonly names: number;
}

/** A plan as configured: its burst may be left to the default, which depends on the generator. */
export interface PlanTerms extends Omit<Plan, 'burst'> {
  readonly burst?: number | undefined;
}

/** Slots of every plan, as in the service's specification. */
const SLOTS = 5;

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
 * `anonymous` has the strictest limits, `free` is the plan of a new user; lite to pro are what the specification calls
 * subscriptions. `owner` is for the person who runs the service; its limits only keep a runaway loop from filling the
 * disk.
 */
export const PLANS = {
  anonymous: {
    name: 'anonymous',
    names: 0,
    slots: SLOTS,
    perMinute: 20,
    perHour: 300,
    delay: 3_000,
    concurrency: 1,
    priority: 1,
    ...NOTHING_MORE,
  },
  free: {
    name: 'free',
    names: 3,
    slots: SLOTS,
    perMinute: 60,
    perHour: 1_500,
    delay: 1_000,
    concurrency: 1,
    priority: 2,
    ...NOTHING_MORE,
  },
  lite: {
    name: 'lite',
    names: 5,
    slots: 8,
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
    names: 10,
    slots: 10,
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
    names: 20,
    slots: 15,
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
    names: 50,
    slots: 25,
    perMinute: 1_200,
    perHour: 40_000,
    delay: 0,
    concurrency: 8,
    priority: 12,
    ...ALL,
  },
  owner: {
    name: 'owner',
    names: 1_000_000,
    slots: SLOTS,
    perMinute: 60_000,
    perHour: 2_000_000,
    delay: 0,
    concurrency: 64,
    priority: 12,
    ...ALL,
  },
} as const satisfies Record<string, PlanTerms>;

/** About 100 MB of the largest pictures. */
const ANONYMOUS_PER_HOUR = 5_000;

export interface PlanSetting {
  /** New generations per hour that all callers without a key may have together. */
  readonly anonymousPerHour?: number | undefined;
  /** Slots of the plan `owner`; default: as many as every plan has. */
  readonly ownerSlots?: number | undefined;
  /** Whether a plan without a burst of its own may have all its slots processed while capacity is idle. */
  readonly lendsIdle?: boolean;
}

export class Plans {
  /** The plan of callers without a key, with the limit they share. */
  readonly anonymous: Plan;
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #fallback: Plan;

  /** @param changes plans that replace the built-in plans of the same name, or are added to them */
  constructor(
    changes: readonly PlanTerms[] = [],
    { anonymousPerHour = ANONYMOUS_PER_HOUR, lendsIdle = false, ownerSlots = SLOTS }: PlanSetting = {},
  ) {
    const owner = { ...PLANS.owner, slots: ownerSlots };
    const all: readonly PlanTerms[] = [...Object.values(PLANS), owner, ...changes];
    this.#plans = new Map(all.map((terms) => [terms.name, withBurst(terms, lendsIdle)]));
    this.#fallback = this.#plans.get('free') ?? withBurst(PLANS.free, lendsIdle);
    const together = { owner: 'anonymous', perHour: anonymousPerHour };
    this.anonymous = { ...this.named('anonymous'), together };
  }

  has(name: string): boolean {
    return this.#plans.has(name);
  }

  all(): Plan[] {
    return [...this.#plans.values()];
  }

  /** The plan named in a user's row; a name that is no longer known counts as `free`. */
  named(name: string): Plan {
    return this.#plans.get(name) ?? this.#fallback;
  }
}

function withBurst({ burst, ...terms }: PlanTerms, lendsIdle: boolean): Plan {
  const usual = lendsIdle ? terms.slots : terms.concurrency;
  return { ...terms, burst: Math.max(terms.concurrency, burst ?? usual) };
}

/** The grants of the plan, for /v2/me. */
export function grantsOf(plan: Plan): Grants {
  return { ...limitsOf(plan), plan: plan.name };
}

export function planView(plan: Plan): PlanView {
  return { name: plan.name, ...limitsOf(plan) };
}

function limitsOf(plan: Plan): PlanLimits {
  return {
    queue: plan.slots,
    per_minute: plan.perMinute,
    per_hour: plan.perHour,
    delay: plan.delay / 1000,
    concurrency: plan.concurrency,
    burst: plan.burst,
    priority: plan.priority,
    ad_free: plan.adFree,
    private_skins: plan.privateSkins,
    early_access: plan.earlyAccess,
    batch_generation: plan.batchGeneration,
    capes: plan.capes,
    player_names: plan.names,
  };
}

/** The plan that a view describes; without a burst in the view, the plan gets the default one. */
export function planFrom(view: Omit<PlanView, 'burst'> & { readonly burst?: number | undefined }): PlanTerms {
  return {
    name: view.name,
    slots: view.queue,
    perMinute: view.per_minute,
    perHour: view.per_hour,
    delay: Math.round(view.delay * 1000),
    concurrency: view.concurrency,
    burst: view.burst,
    priority: view.priority,
    adFree: view.ad_free,
    privateSkins: view.private_skins,
    earlyAccess: view.early_access,
    batchGeneration: view.batch_generation,
    capes: view.capes,
    names: view.player_names ?? 0,
  };
}

/** Maximum size of a plans file in bytes: enough for hundreds of plans. */
const MAX_BYTES = 256 * 1024;

/** A plans file that cannot be used; `message` names the file, the plan and the field. */
export class PlansFileError extends Error {
  override readonly name = 'PlansFileError';
  readonly code = 'plans_unusable';

  constructor(path: string, what: string, cause?: unknown) {
    super(`The plans in ${path} cannot be used: ${what}`, { cause });
  }
}

/**
 * The built-in plans with the changes from a JSON file: `{"<plan>": {"<limit>": …}}`, with limits named as in /v2/me.
 * @throws PlansFileError
 */
export async function readPlans(path: string, setting: PlanSetting = {}): Promise<Plans> {
  const parsed = planFileSchema.safeParse(await readJson(path));
  if (!parsed.success) throw new PlansFileError(path, faultOf(parsed.error), parsed.error);
  const builtIn = new Plans();
  const changes = Object.entries(parsed.data).map(([name, limits]) =>
    planFrom(Object.assign(planView(builtIn.named(name)), { burst: undefined }, limits, { name })),
  );
  return new Plans(changes, setting);
}

async function readJson(path: string): Promise<unknown> {
  const json = parsedJson(await readBytes(path));
  if (json === undefined) throw new PlansFileError(path, 'it is not valid JSON.');
  return json;
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_BYTES) return await readFile(path);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new PlansFileError(path, isMissing ? 'the file does not exist.' : 'it cannot be read.', cause);
  }
  throw new PlansFileError(path, `it has more than ${MAX_BYTES} bytes.`);
}

function faultOf({ issues: [first] }: z.ZodError): string {
  const [plan, field] = first?.path.map(String) ?? [];
  const where = [plan !== undefined && `plan ${plan}`, field].filter(Boolean).join(': ');
  const what = first?.code === 'invalid_key' ? first.issues[0]?.message : first?.message;
  return [where, what].filter(Boolean).join(': ');
}
