export interface Room {
  readonly holds: string;
  /** Other rooms, all of them or single files, that files in the room may import. */
  readonly imports: readonly string[];
}

/**
 * The folders of src/ (and its one file): each imports only those below it. A folder of a room has a row of its own where it may import more.
 * CONTRIBUTING shows this table: where it changes, test/rooms.test.ts prints what to put there.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  cli: {
    holds: 'The command line: `commands/` has one file per noun, `output/` only renders',
    imports: [
      'pages/page-routes.ts',
      'server/server.ts',
      'server/embedded.ts',
      'server/outbound',
      'double',
      'conformance',
      'batch',
      'dispatch',
      'client',
      'protocol',
      'game',
      'pack',
      'textures',
      'skin',
      'base',
    ],
  },
  'testing.ts': {
    holds: 'The double, for tests that import it',
    imports: ['double'],
  },
  'index.ts': {
    holds: 'The public API of the package',
    imports: ['batch', 'client', 'protocol', 'skin', 'base', 'server/embedded.ts'],
  },
  double: {
    holds: 'A double of the service for tests of clients: scenarios, faults, expectations',
    imports: ['server/embedded.ts', 'protocol', 'skin', 'textures', 'base'],
  },
  conformance: {
    holds: 'Checks any server against the API, with a check for each sentence of its description',
    imports: ['client', 'protocol', 'skin', 'textures', 'base'],
  },
  batch: {
    holds: 'Turns many sources into skins: sources, plan, lockfile, journal, proof',
    imports: ['dispatch', 'client', 'game', 'pack', 'protocol', 'skin', 'textures', 'base'],
  },
  pages: {
    holds: 'What people see in a browser: a file per page has its routes and its view',
    imports: ['server', 'html', 'pack', 'textures', 'skin', 'protocol', 'base'],
  },
  server: {
    holds: 'The service: HTTP, the job queue, generators, game accounts, the store',
    imports: ['html', 'game', 'pack', 'protocol', 'skin', 'textures', 'base'],
  },
  'server/generators/upstream': {
    holds: 'The generator that uses another service',
    imports: ['dispatch', 'client', 'game', 'protocol', 'skin', 'textures', 'base'],
  },
  dispatch: {
    holds: 'Keeps jobs going on a service: submissions, pace, polling, events, lost answers',
    imports: ['client', 'protocol', 'skin', 'textures', 'base'],
  },
  client: {
    holds: 'The typed client: one method per endpoint, retries',
    imports: ['protocol', 'base'],
  },
  game: {
    holds: "Mojang's services: profiles, names, skins, published keys, sign-in, pacing",
    imports: ['skin', 'textures', 'base'],
  },
  pack: {
    holds: 'Resource packs and data packs of skins: names, versions of Minecraft, functions, the zip',
    imports: ['skin', 'textures', 'base'],
  },
  textures: {
    holds: 'The signed property: build, parse, sign, verify; keys; commands that contain it',
    imports: ['base'],
  },
  html: {
    holds: 'Templates that escape their values, and texts in the language of their reader',
    imports: [],
  },
  skin: {
    holds: 'The picture: bounded PNG decoder, canonical encoder, pixel hash, variant, checks, renders',
    imports: [],
  },
  protocol: {
    holds: 'Zod schemas of the wire format, the table of error codes, lines of the lockfile',
    imports: [],
  },
  base: {
    holds: 'Code of no other room: the clock, files, caches, processes, the network, the version',
    imports: [],
  },
};

/** The folders and files of src/server/, from top to bottom: each imports only those below it. */
export const SERVER_ROOMS: readonly string[] = [
  'server.ts',
  'embedded.ts',
  'open-service.ts',
  'assembly',
  'store-copy',
  'backup',
  'workers',
  'callbacks.ts',
  'http',
  'context.ts',
  'metrics.ts',
  'pictures',
  'service',
  'openid',
  'pools.ts',
  'generators',
  'accounts',
  'outbound',
  'queue',
  'events.ts',
  'store',
  'fairness.ts',
];

/** What is not in src/, packages above all, and the folders that may import it. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['base/version.ts'],
  fflate: ['pack'],
  zod: ['base', 'protocol', 'client', 'game', 'batch', 'double', 'conformance', 'server', 'pages', 'cli'],
  undici: ['base', 'client', 'game', 'batch', 'server/outbound'],
  'csv-parse/sync': ['batch', 'server/service/skins', 'cli'],
  yaml: ['cli', 'batch'],
  commander: ['cli'],
  conf: ['cli'],
  'env-paths': ['cli'],
  ora: ['cli'],
  chalk: ['cli'],
  'hono/router/trie-router': ['server/http'],
  '@hono/node-server': ['server/http'],
  '@hono/node-server/utils/response': ['server/http'],
  '@fastify/busboy': ['server/http'],
  kysely: ['server/store', 'server/store-copy', 'server/queue'],
  pg: ['server/store/postgres'],
  'pg-connection-string': ['server/store/postgres'],
  'ipaddr.js': ['server/http', 'server/outbound', 'server/service'],
  'openid-client': ['server/openid'],
  skinview3d: ['pages/browser'],
  'prom-client': ['server/metrics.ts'],
};
