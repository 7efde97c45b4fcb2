import type { ServerOptions } from '../../../src/server/server.ts';
import { storeKind } from '../postgres/on-postgres.ts';
import { ownDatabase } from '../postgres/own-database.ts';

/** By the data folders of this test's services: those over the same folder have the same store. */
const databases = new Map<string, Promise<string>>();

/** The store of a service over this folder: SQLite, or PostgreSQL where the same tests run a second time. */
export async function storeFor(dataDir: string): Promise<Pick<ServerOptions, 'store'>> {
  if (storeKind() === 'sqlite') return {};
  const known = databases.get(dataDir) ?? ownDatabase();
  databases.set(dataDir, known);
  return { store: { url: await known, connections: 2, connectTimeout: 300_000 } };
}
