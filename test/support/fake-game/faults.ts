import { z } from 'zod';
import { seededRandom } from '../../../src/double/seed.ts';
import type { Call, CallKind } from './calls.ts';
import { CHANGES } from './calls.ts';

const shape = z.enum(['empty', 'html', 'json']);
/** `isDone`: the request is carried out anyway, and only the answer is lost. */
const isDone = z.boolean().default(false);

export const faultSchema = z.discriminatedUnion('kind', [
  /** 429. `retryAfter`: seconds, or any text for the header. */
  z.strictObject({
    kind: z.literal('limited'),
    body: shape.default('json'),
    retryAfter: z.union([z.number(), z.string()]).optional(),
  }),
  z.strictObject({ kind: z.literal('unauthorized'), body: shape.default('empty') }),
  z.strictObject({ kind: z.literal('forbidden'), body: shape.default('json') }),
  /** 404. */
  z.strictObject({ kind: z.literal('missing') }),
  /** From now on, for everything that the account does, until it is lifted. */
  z.strictObject({ kind: z.literal('suspended') }),
  z.strictObject({ kind: z.literal('bad_image') }),
  z.strictObject({
    kind: z.literal('broken'),
    status: z.int().min(500).max(599).default(503),
    body: shape.default('html'),
    isDone,
  }),
  /** No answer, ever. */
  z.strictObject({ kind: z.literal('hangs'), isDone }),
  /** The connection is cut instead of an answer. */
  z.strictObject({ kind: z.literal('cut'), isDone }),
  /** The answer comes this many milliseconds later. */
  z.strictObject({ kind: z.literal('slow'), ms: z.number().nonnegative() }),
  /** 200 with a page. */
  z.strictObject({ kind: z.literal('garbled') }),
  /** After the change the session server shows the earlier look for this many reads. */
  z.strictObject({ kind: z.literal('stale'), reads: z.int().min(1) }),
  /** After the change the account wears another picture, as if someone else had used it. */
  z.strictObject({ kind: z.literal('foreign') }),
  /** The texture that is kept has another pixel than the one that was sent. */
  z.strictObject({ kind: z.literal('altered') }),
  /** The signature of the profile is invalid. */
  z.strictObject({ kind: z.literal('forged') }),
]);

export type Fault = z.output<typeof faultSchema>;
/** As a test writes it. */
export type FaultPlan = z.input<typeof faultSchema>;

const callKinds = z.custom<CallKind>((kind) => typeof kind === 'string');

export const orderSchema = z.strictObject({
  fault: faultSchema,
  /** Kinds of calls that it affects; default: those for which the fault makes sense. */
  on: z.array(callKinds).optional(),
  /** UUID of the account or player; default: any. */
  account: z.string().optional(),
  /** How often; default: once. */
  times: z.int().min(1).default(1),
});
/** A fault for the next calls that match. */
export type Order = z.input<typeof orderSchema>;

export const randomFaultsSchema = z.strictObject({
  seed: z.int(),
  /** The first fault that applies to a call happens. `chance`: 0 to 1. */
  faults: z.array(orderSchema.omit({ times: true }).extend({ chance: z.number().min(0).max(1) })),
});
/** Faults that come at random, in the same order for the same seed. */
export type RandomFaults = z.input<typeof randomFaultsSchema>;

const USUAL_TARGETS: Partial<Record<Fault['kind'], readonly CallKind[]>> = {
  forged: ['profile'],
  bad_image: ['skin_upload', 'skin_url'],
  stale: ['skin_upload', 'skin_url'],
  foreign: ['skin_upload', 'skin_url'],
  altered: ['skin_upload'],
};

/** Which fault happens to a call, if any. */
export class Faults {
  readonly #orders: (z.output<typeof orderSchema> & { left: number })[] = [];
  #randomFaults:
    | { readonly plan: z.output<typeof randomFaultsSchema>; readonly chance: () => number }
    | undefined;

  /** @throws z.ZodError */
  order(order: Order): void {
    const parsed = orderSchema.parse(order);
    this.#orders.push({ ...parsed, left: parsed.times });
  }

  /** Undefined: fine. @throws z.ZodError */
  set randomFaults(randomFaults: RandomFaults | undefined) {
    if (!randomFaults) {
      this.#randomFaults = undefined;
      return;
    }
    const plan = randomFaultsSchema.parse(randomFaults);
    const random = seededRandom(plan.seed);
    this.#randomFaults = { plan, chance: () => random(1_000_000) / 1_000_000 };
  }

  /** `account`: whose token the call has, or whom it is about. */
  next(call: Call, account: string | undefined): Fault | undefined {
    const order = this.#orders.find((known) => known.left > 0 && suits(known, call.kind, account));
    if (order) {
      order.left--;
      return order.fault;
    }
    const { plan, chance } = this.#randomFaults ?? {};
    return plan?.faults.find((known) => suits(known, call.kind, account) && chance!() < known.chance)?.fault;
  }
}

function suits(
  { fault, on, account: wanted }: Pick<z.output<typeof orderSchema>, 'fault' | 'on' | 'account'>,
  kind: CallKind,
  account: string | undefined,
): boolean {
  const kinds = on ?? USUAL_TARGETS[fault.kind] ?? CHANGES;
  return kinds.includes(kind) && (wanted === undefined || wanted === account);
}
