export interface Room {
  readonly holds: string;
  /** Other rooms, all of them or single files, that files in the room may import. */
  readonly imports: readonly string[];
  /** Rooms that it still imports though it should not; the list may only become shorter. */
  readonly stillImports?: readonly string[];
}

/**
 * The folders of src/ (and its one file), top floor first. A folder of a room has a row of its own where it may import more.
 * CONTRIBUTING shows this table: where it changes, test/rooms.test.ts prints what to put there.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  cli: {
    holds: 'The terminal: one file per command, at the path of its words; `output/` only renders',
    imports: [
      'index.ts',
      'server/server.ts',
      'server/embedded.ts',
      'batch/api',
      'dispatch',
      'game',
      'skin',
      'base',
    ],
  },
  'index.ts': {
    holds: 'The public API; the CLI uses nothing else of the client',
    imports: ['batch/api', 'client', 'protocol', 'skin', 'base'],
  },
  batch: {
    holds: 'Many sources become skins: sources, plan, lockfile, journal, proof',
    imports: ['dispatch', 'client', 'game', 'protocol', 'skin', 'textures', 'base'],
  },
  server: {
    holds: 'The service: HTTP, jobs and their queue, generators, game accounts, the store',
    imports: ['game', 'protocol', 'skin', 'textures', 'base'],
  },
  'server/http/in-process': {
    holds: 'The transport that calls an embedded service inside the process',
    imports: ['game', 'protocol', 'skin', 'textures', 'base', 'client/transport.ts'],
  },
  'server/generators/upstream': {
    holds: 'The generator that has another service make the skins',
    imports: ['dispatch', 'client', 'game', 'protocol', 'skin', 'textures', 'base'],
  },
  dispatch: {
    holds: 'Keeps work going on a service: submissions, pace, looks, events, lost answers',
    imports: ['client', 'protocol', 'skin', 'textures', 'base'],
  },
  client: {
    holds: 'The typed client: one method per endpoint; retry timing without side effects',
    imports: ['protocol', 'base'],
  },
  game: {
    holds: "The game's own services: profiles, names, skins, published keys, signing in; paced",
    imports: ['skin', 'textures', 'base'],
  },
  textures: {
    holds: 'The signed property: build, parse, sign, verify, keys',
    imports: ['base'],
  },
  skin: {
    holds: 'The picture: bounded PNG decode, canonical encode, pixel hash, variant, check, renders',
    imports: [],
  },
  protocol: {
    holds: 'Zod schemas of the wire; the one table of error codes',
    imports: [],
  },
  base: {
    holds: 'What belongs to no room: the clock, private files, processes, the version',
    imports: [],
  },
};

/**
 * The folders inside a room, top floor first: each imports only those below it.
 * A list behind a folder names those above it that it still imports; it may only become shorter.
 */
export const FLOORS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  cli: {
    cli: [],
    'cli/commands/accounts': [],
    'cli/commands/capes': [],
    'cli/commands/keys': [],
    'cli/commands/skins': [],
    'cli/commands/users': [],
    'cli/commands/config': [],
    'cli/commands': [],
    'cli/man': [],
    'cli/doctor': [],
    'cli/serve/processes': [],
    'cli/serve': [],
    'cli/open': [],
    'cli/batch': [],
    'cli/preview': [],
    'cli/options': [],
    'cli/completion': [],
    'cli/output/reports': [],
    'cli/context': [],
    'cli/connection': [],
    'cli/history': [],
    'cli/help': [],
    'cli/jobs': [],
    'cli/output': [],
    'cli/output/picture': [],
    'cli/config': [],
    'cli/output/formats': [],
    'cli/terminal': [],
    'cli/errors': [],
    'cli/text': [],
  },
  batch: {
    'batch/api': [],
    batch: [],
    'batch/run': [],
    'batch/skin-maker': [],
    'batch/options': [],
    'batch/sources': [],
    'batch/sources/lists': [],
    'batch/plan': [],
    'batch/proof': [],
    'batch/sources/arguments': [],
    'batch/sources/folders': [],
    'batch/sources/given': [],
    'batch/pictures': [],
    'batch/sources/files': [],
    'batch/journal': [],
    'batch/lockfile': [],
    'batch/model': [],
  },
  server: {
    server: [],
    'server/assembly': [],
    'server/http/fastify': [],
    'server/http/in-process': [],
    'server/http/routes': [],
    'server/http/routes/pages': [],
    'server/http/routes/pictures': [],
    'server/http/routes/account': [],
    'server/http/routes/v1': [],
    'server/http/routes/v2': [],
    'server/http/pages': [],
    'server/http/endpoint': [],
    'server/http/v1': [],
    'server/http': [],
    'server/pages/views': [],
    'server/pages/frame': [],
    'server/pages/assets': [],
    'server/pages/html': [],
    'server/pages/browser': [],
    'server/service': [],
    'server/metrics': [],
    'server/callbacks': [],
    'server/workers': [],
    'server/service/status': [],
    'server/service/users': [],
    'server/service/sessions': [],
    'server/service/accounts': [],
    'server/service/submitting': [],
    'server/service/jobs': [],
    'server/pictures': [],
    'server/sources': [],
    'server/service/skins': [],
    'server/service/limits': [],
    'server/service/forecast': [],
    'server/service/callers': [],
    'server/service/plans': [],
    'server/service/refusals': [],
    'server/generators/upstream': [],
    'server/generators/accounts': [],
    'server/generators/signing': [],
    'server/generators': [],
    'server/accounts': [],
    'server/queue': [],
    'server/events': [],
    'server/outbound': [],
    'server/backup': [],
    'server/store/postgres': [],
    'server/store': [],
    'server/store/migrations': [],
    'server/store/schema': [],
    'server/fairness': [],
  },
  game: {
    'game/login': [],
    game: [],
  },
  skin: {
    'skin/render': [],
    'skin/check': [],
    'skin/png': [],
    skin: [],
  },
};

/** What is not in src/, packages above all, and the folders that may import it. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['base/version.ts'],
  zod: ['base', 'protocol', 'client', 'game', 'batch', 'server', 'cli'],
  undici: ['client', 'game', 'batch', 'server/outbound'],
  ignore: ['batch'],
  'csv-parse/sync': ['batch'],
  commander: ['cli'],
  conf: ['cli'],
  'env-paths': ['cli'],
  ora: ['cli'],
  chalk: ['cli'],
  fastify: ['server/http/fastify'],
  '@fastify/cors': ['server/http/fastify'],
  '@fastify/etag': ['server/http/fastify'],
  '@fastify/formbody': ['server/http/fastify'],
  '@fastify/multipart': ['server/http/fastify'],
  helmet: ['server/http/fastify'],
  kysely: ['server/store', 'server/queue'],
  pg: ['server/store/postgres'],
  'ipaddr.js': ['server/http/fastify', 'server/outbound', 'server/service'],
  skinview3d: ['server/pages/browser'],
  'prom-client': ['server/metrics'],
  'rate-limiter-flexible': ['server/service'],
};
