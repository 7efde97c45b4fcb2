import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A room whose tests are tested: its sources, and the tests that are expected to notice each small bug in them. */
export interface Room {
  readonly sources: readonly string[];
  /** What belongs to other rooms, of the sources. */
  readonly except?: readonly string[];
  readonly tests: readonly string[];
  /** Of the tests, those that are run first because they are about this room. */
  readonly first?: readonly string[];
}

/** Paths from the project's root; folders include what is below them. End-to-end tests see no mutation. */
export const ROOMS: Readonly<Record<string, Room>> = {
  dispatch: { sources: ['src/dispatch'], tests: ['test/dispatch', 'test/batch'], first: ['test/dispatch'] },
  plan: {
    sources: ['src/batch/run/planner.ts', 'src/batch/names.ts', 'src/batch/signers.ts'],
    tests: [
      'test/batch/run/planner.test.ts',
      'test/batch/run/planner',
      'test/batch/names',
      'test/batch/signers',
      'test/batch/run/plan-batch.test.ts',
    ],
    first: ['test/batch/names', 'test/batch/signers', 'test/batch/run'],
  },
  run: {
    sources: ['src/batch/run'],
    except: ['src/batch/run/planner.ts'],
    tests: ['test/batch'],
    first: ['test/batch/run'],
  },
  batch: {
    sources: ['src/batch'],
    except: [
      'src/batch/lockfile',
      'src/batch/journal.ts',
      'src/batch/names.ts',
      'src/batch/signers.ts',
      'src/batch/run',
    ],
    tests: ['test/batch'],
  },
  lockfile: { sources: ['src/batch/lockfile'], tests: ['test/batch'], first: ['test/batch/lockfile'] },
  journal: { sources: ['src/batch/journal.ts'], tests: ['test/batch'], first: ['test/batch/journal'] },
  queue: {
    sources: ['src/server/queue', 'src/server/fairness.ts'],
    tests: ['test/server', 'test/contract', 'test/service'],
    first: ['test/server/queue', 'test/contract'],
  },
  limits: {
    sources: [
      'src/server/service/limits.ts',
      'src/server/service/request-limits.ts',
      'src/server/queue/enqueue.ts',
    ],
    tests: ['test/server', 'test/contract', 'test/service'],
    first: [
      'test/server/service/limits',
      'test/server/service/request-limits',
      'test/server/queue',
      'test/service/limits',
    ],
  },
  upstream: {
    sources: ['src/server/generators/upstream'],
    tests: ['test/server/generators/upstream', 'test/service/gateway'],
    first: ['test/server/generators/upstream'],
  },
};

/** Paths of a room that do not exist. */
export function missingPaths(root: string, { sources, except = [], tests, first = [] }: Room): string[] {
  return [...sources, ...except, ...tests, ...first].filter((path) => !existsSync(join(root, path)));
}
