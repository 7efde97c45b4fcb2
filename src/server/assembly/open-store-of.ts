import { verifyWhole } from '../store/meta.ts';
import type { OpenStore } from '../store/open-store.ts';
import { openStore } from '../store/sqlite.ts';
import type { ServerOptions } from './server-options.ts';

type Options = Pick<ServerOptions, 'store' | 'dataDir' | 'durable' | 'migrations'>;

/** Opens the store that the options name: a database of PostgreSQL, or the file in the data folder. @throws StoreUnfinishedError */
export async function openStoreOf(options: Options): Promise<OpenStore> {
  const store = await open(options);
  try {
    await verifyWhole(store.db);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * The same for a few statements. They have no names, whose preparation would cost more than it saves: so there may be any
 * pooler before PostgreSQL.
 */
export async function openBriefly({ store, ...rest }: Options): Promise<OpenStore> {
  return await openStoreOf({ ...rest, store: store && { ...store, prepares: false } });
}

async function open({ store, dataDir, durable, migrations }: Options): Promise<OpenStore> {
  if (store === undefined) return await openStore(dataDir, { durable, migrations });
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
  return await openPostgresStore({ ...store, migrations });
}
