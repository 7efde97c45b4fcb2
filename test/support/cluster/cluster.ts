import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { PostgresSettings, ServerOptions } from '../../../src/server/server.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { ownFolder } from '../server/own-folder.ts';
import { giveSigningKey } from '../server/running-server.ts';
import { RoughProxy } from './rough-proxy.ts';
import { ServerProcess } from './server-process.ts';
import { installWitness } from './witness.ts';

/** A server with its own way to the database and its own user there. */
export class ClusterNode extends ServerProcess {
  readonly name: string;
  readonly proxy: RoughProxy;

  constructor(name: string, proxy: RoughProxy, options: ServerOptions) {
    super(options);
    this.name = name;
    this.proxy = proxy;
  }
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly postgres: PostgresServer;
  /** Its own way to the database. */
  readonly admin: Pool;
  processesOf(): ReadonlyMap<string, ReadonlySet<number>>;
}

/** What was answered must survive a crash of PostgreSQL; a crash of the machine is not among the things that happen. */
const SETTINGS = { synchronous_commit: 'on' };

/** Nodes over one PostgreSQL, none of which runs yet. Everything ends with the test. */
export async function openCluster(
  count: number,
  options: Partial<ServerOptions>,
  settings: Pick<PostgresSettings, 'statementTimeout'> = {},
): Promise<Cluster> {
  const postgres = await startPostgres(SETTINGS);
  onTestFinished(async () => await postgres.stop());
  const url = new URL(postgres.urlOf('postgres'));
  const db = await openPostgresDb(url.href);
  await db.destroy();
  const admin = new Pool({ connectionString: url.href, max: 2 });
  admin.on('error', () => {}); // PostgreSQL is restarted
  onTestFinished(async () => await admin.end());
  await installWitness(admin);
  const nodes: ClusterNode[] = [];
  for (let n = 1; n <= count; n++) {
    const proxy = await RoughProxy.to(Number(url.port));
    onTestFinished(async () => await proxy.close());
    await admin.query(`create role node${n} superuser login`);
    const dataDir = await ownFolder();
    await giveSigningKey(dataDir);
    const store = { url: `postgres://node${n}@127.0.0.1:${proxy.port}/postgres`, ...settings };
    const node = new ClusterNode(`node${n}`, proxy, {
      ...{ port: 0, gameAddresses: NO_GAME, dataDir, publicUrl: 'http://127.0.0.1:1', ...options, store },
    });
    nodes.push(node);
  }
  return {
    nodes,
    postgres,
    admin,
    processesOf: () => new Map(nodes.map(({ name, processes }) => [name, processes])),
  };
}
