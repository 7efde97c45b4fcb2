import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Pool } from 'pg';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { type PostgresServer, startPostgres } from './server.ts';

const TEMPLATE = 'template_skinsmith';

/** Makes databases for tests of all workers, and starts PostgreSQL when the first one is wanted. */
export interface DatabaseMaker {
  readonly port: number;
  stop(): Promise<void>;
}

interface Running {
  readonly server: PostgresServer;
  readonly admin: Pool;
}

/** Each connection gets the address of a store without rows. */
export async function startDatabaseMaker(): Promise<DatabaseMaker> {
  let running: Promise<Running> | undefined;
  let count = 0;
  const make = async (): Promise<string> => {
    running ??= start();
    const { server, admin } = await running;
    const name = `store_${++count}`;
    await admin.query(`create database ${name} template ${TEMPLATE}`);
    return server.urlOf(name);
  };
  const maker = createServer((socket) => void answer(socket, make)).listen(0, '127.0.0.1');
  await once(maker, 'listening');
  maker.unref();
  return {
    port: (maker.address() as { port: number }).port,
    stop: async () => {
      maker.close();
      const started = await running?.catch(() => undefined);
      await started?.admin.end();
      await started?.server.stop();
    },
  };
}

async function answer(socket: Socket, make: () => Promise<string>): Promise<void> {
  socket.on('error', () => socket.destroy()); // the worker has ended
  socket.end(await make().catch(String));
}

async function start(): Promise<Running> {
  const server = await startPostgres();
  const admin = new Pool({ connectionString: server.urlOf('postgres'), max: 1 });
  admin.on('error', () => {}); // the server stops before the connection has ended
  await admin.query(`create database ${TEMPLATE}`);
  const template = await openPostgresDb(server.urlOf(TEMPLATE));
  await template.destroy();
  return { server, admin };
}
