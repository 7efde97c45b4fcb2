import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { setEnvironment } from './test/support/setup/environment.ts';
import { TestOrder } from './test/support/setup/test-order.ts';

setEnvironment(process.env);

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

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // No module has state of its own, so files need no fresh ones: a third of the time was spent on loading them.
    isolate: false,
    // Modules as Node itself loads them: Vite's look up each imported name whenever it is used. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // They end what hangs, and nothing else: on a busy machine a test may take thirty times as long as on an idle one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    execArgv: SELDOM_GARBAGE,
    globalSetup: ['test/support/setup/build.ts'],
    setupFiles: ['test/support/setup/compiled-code.ts', 'test/support/setup/on-sqlite.ts'],
    // Its own choice leaves one of two cores idle; some tests wait for processes, and with more workers all get slower.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: TestOrder },
  },
});
