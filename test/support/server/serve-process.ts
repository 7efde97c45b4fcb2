/**
 * A service as a process of its own. Options as one JSON argument, and the name of the program's version if it is not
 * this one; prints its address.
 */
import { flushCompileCache } from 'node:module';
import { PAGES } from '../../../src/pages/page-routes.ts';
import { type ServerOptions, startServer } from '../../../src/server/server.ts';
import { VERSIONS, type VersionName } from './program-versions.ts';

const options = JSON.parse(process.argv[2] ?? '') as ServerOptions;
const migrations = VERSIONS[(process.argv[3] ?? 'this') as VersionName];
const usual = { port: 0, logLevel: 'error', pages: PAGES } as const;
const server = await startServer({ ...usual, ...options, migrations });
process.stdout.write(`${server.url}\n`);
// Tests kill it: what Node has compiled would be lost for those that they start later.
setImmediate(flushCompileCache);
process.once('SIGTERM', () => void server.close({ limit: 1_000 }));
