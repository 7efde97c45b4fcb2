import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { setEnvironment } from './test/support/setup/environment.ts';

setEnvironment(process.env);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup/build.ts'],
    // Its own choice leaves one of two cores idle; tests that wait for processes leave room for two more.
    maxWorkers: availableParallelism() + 2,
    // No module has state of its own, so files need no fresh ones: a third of the time was spent on loading them.
    isolate: false,
    // They end what hangs, and nothing else: on a busy machine a test may take thirty times as long as on an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
