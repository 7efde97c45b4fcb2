import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { findPostgres } from './test/support/postgres/server.ts';
import { setEnvironment } from './test/support/setup/environment.ts';
import { TestOrder } from './test/support/setup/test-order.ts';

setEnvironment(process.env);

/** Tests of what depends on the store. They run a second time, with services that have it in PostgreSQL. */
const ALSO_ON_POSTGRES = [
  'test/contract/adapters.test.ts',
  'test/service/callers/{keys,revoking,users}.test.ts',
  'test/service/game-accounts/restoring.test.ts',
  'test/service/gateway/{gateway,skinsmith}.test.ts',
  'test/service/jobs/{generating,idempotency,queue,queue-events,webhooks}.test.ts',
  'test/service/limits/{limits,fairness}.test.ts',
  'test/service/moderation/*.test.ts',
  'test/service/running/{doctor,fuzz,refused-by-postgres,statements,too-new-store}.test.ts',
  'test/service/skins/{capes,private-data,skin-changes,skin-filters,skins}.test.ts',
];

/** Of all tests. */
const COMMON = {
  // No module has state of its own, so files need no fresh ones: a third of the time was spent on loading them.
  isolate: false,
  // Modules as Node itself loads them: Vite's look up each imported name whenever it is used. No test mocks a module.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // They end what hangs, and nothing else: on a busy machine a test may take thirty times as long as on an idle one.
  testTimeout: 600_000,
  hookTimeout: 600_000,
} as const;

/** Bytes that all workers may have, which a container may limit. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** How workers collect garbage: an eighth of their time was spent on it. */
const SELDOM_GARBAGE = [
  // Other workers need the cores: threads that collect beside a worker take more time than they spare it.
  '--single-threaded-gc',
  // A worker holds some 150 MB of modules for as long as it lives; to look through them once a second frees little.
  `--initial-heap-size=${Math.min(1024, Math.floor(MEMORY / 16 / 1024 ** 2))}`, // megabytes
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
];

// Without `extends`: a project would inherit the global setup and run it once more, beside the first.
function project(storeKind: 'sqlite' | 'postgres', include: string[]) {
  const setupFiles = storeKind === 'postgres' ? ['test/support/setup/on-postgres.ts'] : [];
  return {
    test: {
      ...COMMON,
      name: storeKind,
      include,
      execArgv: SELDOM_GARBAGE,
      setupFiles,
      provide: { storeKind },
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      project('sqlite', ['test/**/*.test.ts']),
      ...(findPostgres() ? [project('postgres', ALSO_ON_POSTGRES)] : []),
    ],
    globalSetup: ['test/support/setup/build.ts'],
    // Its own choice leaves one of two cores idle; some tests wait for processes, and with more workers all get slower.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: TestOrder },
  },
});
