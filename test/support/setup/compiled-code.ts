import { inject } from 'vitest';

// Runs before each file of tests. Programs that are started again and again are compiled once. The workers themselves
// start without it: they load each module once, and would take longer to write down what they have compiled.
process.env['NODE_COMPILE_CACHE'] ??= inject('compiledCodePath');
