import { registerHooks } from 'node:module';
import { SHARED } from './environment.ts';

// Runs before each file of tests. Vitest tells its main process of each import, to know what to run again when a file
// changes: in a run of all tests, nobody watches.
if (process.env[SHARED.folder] !== undefined)
  registerHooks({
    resolve: (specifier, context, next) =>
      context.parentURL !== undefined && /^\..*\.ts$/.test(specifier)
        ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
        : next(specifier, context),
  });
