/**
 * The order of jobs: start-time fair queueing. The queue has a virtual clock that advances with the work, not with
 * time. A job gets its turn when it is accepted, and the lowest turn goes first.
 *
 * An owner's next turn lies 1/priority after the last. So of two owners who always have jobs waiting, the one with
 * twice the priority gets two turns for each of the other's, and no one starves: at most a few jobs of any other owner
 * overtake a given turn. A turn is never before the clock: an owner who was idle starts where the others are, without
 * saved-up credit.
 *
 * The clock is at the highest turn ever taken. When no job waits, no owner is ahead of another, and the clock may
 * advance to the last turn given.
 */

/** The turn of an owner's next job, given the queue's clock and the owner's last next one. */
export function nextTurn(clock: number, remembered: number): number {
  return Math.max(clock, remembered);
}

/** The earliest turn of the owner's job after that. */
export function turnAfter(turn: number, priority: number): number {
  return turn + 1 / priority;
}
