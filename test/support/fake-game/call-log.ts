import { type CallKind, CHANGES } from './calls.ts';
import type { Fault } from './faults.ts';

/** One call as it was seen. Times in milliseconds since the epoch. */
export interface LoggedCall {
  readonly number: number;
  readonly kind: CallKind;
  /** UUID of the account whose token it had, or of the player in question. */
  readonly account?: string | undefined;
  readonly fault?: Fault['kind'] | undefined;
  /** When it had come in. */
  readonly at: number;
  /** When it was answered, or its caller went away. */
  until?: number;
  /** Undefined: it got no answer. */
  status?: number;
  /** Hash of the skin that it set, or was shown. */
  texture?: string | undefined;
}

/** Two changes of one account, one after the other. */
export interface Pair {
  readonly account: string;
  readonly before: LoggedCall;
  readonly after: LoggedCall;
  /** Milliseconds from arrival to arrival. */
  readonly apart: number;
}

/** All changes of skin, of one account or of all, successful or not. */
export function changesIn(calls: readonly LoggedCall[], account?: string): readonly LoggedCall[] {
  return calls.filter((call) => CHANGES.includes(call.kind) && (!account || call.account === account));
}

/** Each account's changes, two by two. */
export function pairsIn(calls: readonly LoggedCall[]): readonly Pair[] {
  const byAccount = Map.groupBy(changesIn(calls), ({ account = '' }) => account);
  return [...byAccount].flatMap(([account, changes]) =>
    changes
      .slice(1)
      .map((after, at) => ({ account, before: changes[at]!, after, apart: after.at - changes[at]!.at })),
  );
}

/**
 * When a call was over for its caller at the earliest. That a caller has gone away may be noticed after its next call has
 * come in, on another connection. Its `patience` in milliseconds began before its call was here: half of it counts.
 */
function overAt({ at, until = Number.POSITIVE_INFINITY, status }: LoggedCall, patience: number): number {
  return status === undefined ? Math.min(until, at + patience / 2) : until;
}

/**
 * Pairs of which the second came before the first was answered or its caller had lost its patience: two used the account
 * at once.
 */
export function overlapsIn(calls: readonly LoggedCall[], patience: number): readonly Pair[] {
  return pairsIn(calls).filter(({ before, after }) => after.at < overAt(before, patience));
}

/** Pairs that came faster than an account may be used. */
export function hurriedIn(calls: readonly LoggedCall[], delay: number): readonly Pair[] {
  return pairsIn(calls).filter(({ apart }) => apart < delay);
}

/**
 * Pairs of which the second came before anyone was shown what the first had set: without faults, a sign of two
 * that use the account at once.
 */
export function unseenIn(calls: readonly LoggedCall[]): readonly Pair[] {
  return pairsIn(calls).filter(({ before, after, account }) => {
    const isShown = (call: LoggedCall) =>
      call.kind === 'profile' && call.account === account && call.texture === before.texture;
    return before.status === 200 && !calls.some((call) => isShown(call) && call.at < after.at);
  });
}
