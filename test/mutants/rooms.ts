/** A room whose tests are tested: its sources, and the tests that are expected to notice each small bug in them. */
export interface Room {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

/** Paths from the project's root; folders include what is below them. End-to-end tests see no mutation. */
export const ROOMS: Readonly<Record<string, Room>> = {
  dispatch: { sources: ['src/dispatch'], tests: ['test/dispatch', 'test/batch'] },
  batch: { sources: ['src/batch'], tests: ['test/batch', 'test/dispatch'] },
  lockfile: { sources: ['src/batch/lockfile'], tests: ['test/batch'] },
  journal: { sources: ['src/batch/journal'], tests: ['test/batch'] },
  queue: { sources: ['src/server/queue'], tests: ['test/server', 'test/contract'] },
  limits: { sources: ['src/server/service/limits'], tests: ['test/server', 'test/contract'] },
};
