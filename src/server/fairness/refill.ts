import { MINUTE } from './sliding-window.ts';

/** How much a caller may still spend at once, as of `at` (monotonic milliseconds); it comes back with time. */
export interface Allowance {
  left: number;
  at: number;
}

/** Gives back what has come back by `at`: all of `perMinute` in a minute, and never more than that. */
export function refill(allowance: Allowance, perMinute: number, at: number): void {
  const back = ((at - allowance.at) * perMinute) / MINUTE.span;
  allowance.left = Math.min(perMinute, allowance.left + back);
  allowance.at = at;
}

/** Milliseconds until `cost` can be spent; 0: now. */
export function untilAffordable({ left }: Allowance, cost: number, perMinute: number): number {
  return Math.max(0, Math.ceil(((cost - left) * MINUTE.span) / perMinute));
}

/** Whether nothing has been spent for so long that the allowance is whole again. */
export function isWhole(allowance: Allowance, at: number): boolean {
  return at - allowance.at >= MINUTE.span;
}
