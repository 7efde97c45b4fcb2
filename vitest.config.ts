import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { setEnvironment } from './test/support/setup/environment.ts';
import { TestOrder } from './test/support/setup/test-order.ts';

setEnvironment(process.env);

/** Memory for all workers, in bytes, which a container may limit. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Megabytes of new objects that a worker collects at once: the more, the fewer are still in use by then. */
const SEMI_SPACE = MEMORY > 8 * 1024 ** 3 ? 128 : 32;

/** How workers collect garbage: an eighth of their time was spent on it. */
const SELDOM_GARBAGE = [
  // Other workers need the cores: garbage collection threads take more time than they save.
  '--single-threaded-gc',
  // A worker holds some 150 MB of modules all the time; scanning them once a second frees little.
  `--initial-heap-size=${Math.min(1024, Math.floor(MEMORY / 16 / 1024 ** 2))}`, // megabytes
  `--min-semi-space-size=${SEMI_SPACE}`,
  `--max-semi-space-size=${SEMI_SPACE}`,
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Modules have no state, so files need no fresh ones. Loading them took a third of the time.
    isolate: false,
    // Node loads modules itself: Vite's would look up each imported name at every use. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Only to end tests that hang: on a busy machine, a test may take thirty times as long as on an idle one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    execArgv: SELDOM_GARBAGE,
    globalSetup: ['test/support/setup/build.ts'],
    setupFiles: ['test/support/setup/compiled-code.ts', 'test/support/setup/on-sqlite.ts'],
    // Vitest's default leaves one of two cores idle. Some tests wait for processes; more workers slow down all.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: TestOrder },
  },
});
