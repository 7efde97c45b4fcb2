import type { Plugin } from 'rolldown';

/** An import that is replaced where the program needs less of a package, or nothing. */
interface Replacement {
  /** As the import is written. */
  readonly source: string | RegExp;
  /** The paths of the files that import it. */
  readonly importer: RegExp;
  readonly code: string;
}

/**
 * The program uses mostly undici's Agent. The package's index also loads fetch, web sockets, caches and mocks, which
 * take half of a command's start-up time; this is the part of the index that Agent needs.
 */
const AGENT_OF_UNDICI = `
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  import Agent from 'undici/lib/dispatcher/agent.js';
  import api from 'undici/lib/api/index.js';
  Object.assign(Dispatcher.prototype, api);
  export { Agent };
  export { default as buildConnector } from 'undici/lib/core/connect.js';
  export { FormData } from 'undici/lib/web/fetch/formdata.js';
`;

const NOTHING = 'module.exports = {};';
/** Fastify asks for the compilers of JSON schemas when it starts; Zod checks what routes read and write. */
const NO_COMPILER = "module.exports = () => () => { throw new Error('Routes have no JSON schemas.'); };";

const REPLACEMENTS: readonly Replacement[] = [
  { source: 'undici', importer: /src.(batch|client|game|server.outbound)/, code: AGENT_OF_UNDICI },
  // Without it, undici uses the build for processors that lack vector instructions: one copy instead of two.
  { source: /llhttp_simd-wasm/, importer: /node_modules.undici/, code: NOTHING },
  // Commander's loader of subcommands that are separate programs; skinsmith has none, and loading it takes time.
  { source: 'node:child_process', importer: /node_modules.commander/, code: NOTHING },
  {
    source: /^@fastify\/(ajv|fast-json-stringify)-compiler$/,
    importer: /node_modules.fastify/,
    code: NO_COMPILER,
  },
  // For requests that tests inject.
  { source: 'light-my-request', importer: /node_modules.fastify/, code: NOTHING },
  // Exemplars, summaries and the push gateway: our metrics have none of them.
  { source: '@opentelemetry/api', importer: /node_modules.prom-client/, code: NOTHING },
  { source: /^\.\/lib\/(?:summary|pushgateway)$/, importer: /node_modules.prom-client.index/, code: NOTHING },
  // The connection that the package pg-native makes.
  { source: './native', importer: /node_modules.pg.lib/, code: NOTHING },
  // For config files with a JSON schema or migrations.
  { source: /^(ajv-formats|semver)$/, importer: /node_modules.conf/, code: NOTHING },
  { source: /^ajv\//, importer: /node_modules.conf/, code: 'export const Ajv2020 = undefined;' },
];

/** Replaces what the program does not use of packages. `define` of the build removes undici's second parser, milo. */
export function lighter(): Plugin {
  return {
    name: 'lighter',
    resolveId: (source, importer = '') => {
      const index = REPLACEMENTS.findIndex((one) => isMeant(one, source) && one.importer.test(importer));
      return index === -1 ? null : `\0lighter:${index}:${source}`;
    },
    load: (id) => {
      const [, index] = /^\0lighter:(\d+):/.exec(id) ?? [];
      return REPLACEMENTS[Number(index)]?.code ?? null;
    },
  };
}

function isMeant({ source }: Replacement, name: string): boolean {
  return typeof source === 'string' ? source === name : source.test(name);
}
