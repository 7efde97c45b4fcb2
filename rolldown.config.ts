import { defineConfig, type Plugin } from 'rolldown';

/**
 * Two bundles: the program, with everything it needs inside (starting fast is a feature), and the
 * library entry, whose two dependencies stay outside so that a program that uses them has one copy.
 */

/**
 * The program uses undici's Agent alone. Its index loads fetch, web sockets, caches and mocks as well,
 * half of what a command takes to start; this is the part of that index that Agent needs.
 */
const AGENT_OF_UNDICI = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import Agent from 'undici/lib/dispatcher/agent.js';
  import api from 'undici/lib/api/index.js';
  Object.assign(Dispatcher.prototype, api);
  export { Agent };
`;

/** commander can run subcommands that are programs of their own; ours are not, and loading this costs. */
const NO_CHILD_PROCESS = `
  export default { spawn() { throw new Error('no command is a program of its own'); } };
`;

/** Replaces what a package imports where the program needs less of it. */
function lighter(): Plugin {
  const replacements: readonly { source: string; importer: RegExp; code: string }[] = [
    { source: 'undici', importer: /src.client/, code: AGENT_OF_UNDICI },
    { source: 'node:child_process', importer: /node_modules.commander/, code: NO_CHILD_PROCESS },
  ];
  return {
    name: 'lighter',
    resolveId: (source, importer) =>
      replacements.some((one) => one.source === source && one.importer.test(importer ?? ''))
        ? `\0lighter:${source}`
        : null,
    load: (id) => replacements.find((one) => id === `\0lighter:${one.source}`)?.code ?? null,
  };
}

const output = {
  dir: 'dist',
  format: 'esm',
  minify: { compress: true, mangle: false, codegen: true },
} as const;

export default defineConfig([
  {
    platform: 'node',
    input: { cli: 'src/cli/main.ts' },
    plugins: [lighter()],
    output: { ...output, chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true },
  },
  { platform: 'node', input: { index: 'src/index.ts' }, external: ['undici', 'zod'], output },
]);
