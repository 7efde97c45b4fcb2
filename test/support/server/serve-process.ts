/** A service as a process of its own. Options as one JSON argument; prints its address. */
import { type ServerOptions, startServer } from '../../../src/server/server.ts';

const options = JSON.parse(process.argv[2] ?? '') as ServerOptions;
const server = await startServer({ port: 0, ...options });
process.stdout.write(`${server.url}\n`);
process.once('SIGTERM', () => void server.close({ limit: 1_000 }));
