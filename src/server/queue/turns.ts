/**
 * Whose turn it is: start-time fair queueing. The queue has a time of its own, its clock, that moves with the
 * work and not with the hours. A job gets its turn when it is accepted, and the lowest is taken first.
 *
 * An owner's next turn lies 1/priority after the last. So of two who always have jobs waiting, the one of twice
 * the priority gets two turns for each of the other's, and nobody starves: an owner's next turn is passed by
 * no more than a few of anybody else's. Nor does it come before the clock: who was idle starts where the others
 * are, and has saved nothing up.
 *
 * The clock stands at the highest turn that was ever taken. When nothing waits any more, all accounts between
 * owners are settled, and it may go on to the last of all turns given.
 */

/** The turn of an owner's next job, given the queue's clock and the owner's last next one. */
export function nextTurn(clock: number, remembered: number): number {
  return Math.max(clock, remembered);
}

/** Where the owner's job after that stands, at the earliest. */
export function turnAfter(turn: number, priority: number): number {
  return turn + 1 / priority;
}
