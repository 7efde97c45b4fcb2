import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/server/server.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { childProgram } from '../program/child-program.ts';
import { ownFolder } from '../server/own-folder.ts';
import { giveSigningKey } from '../server/running-server.ts';
import { RoughProxy } from './rough-proxy.ts';
import { installWitness } from './witness.ts';

/** One process of the service, with its own way to the database and its own user there. */
export class ClusterNode {
  readonly name: string;
  readonly proxy: RoughProxy;
  /** All processes that it had. */
  readonly processes = new Set<number>();
  readonly #options: ServerOptions;
  #process: ChildProcess | undefined;
  #url = '';

  constructor(name: string, proxy: RoughProxy, options: ServerOptions) {
    this.name = name;
    this.proxy = proxy;
    this.#options = options;
  }

  /** Undefined while it does not run. */
  get url(): string | undefined {
    return this.#process ? this.#url : undefined;
  }

  /** Starts it, as often as it takes: its database may be away. `skew`: milliseconds that its clock is ahead. */
  async start(skew = 0): Promise<void> {
    while (!this.#process) {
      const shift = `const now = Date.now; Date.now = () => now() + ${skew};`;
      const loader = ['--import', `data:text/javascript,${encodeURIComponent(shift)}`];
      const words = [
        ...(skew === 0 ? [] : loader),
        childProgram('serve-process'),
        JSON.stringify(this.#options),
      ];
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
      this.processes.add(child.pid ?? 0);
      const lines = createInterface({ input: child.stdout });
      const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [undefined])]);
      if (line === undefined) continue;
      this.#url = String(line);
      this.#process = child;
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
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

/** Nodes over one PostgreSQL, none of which runs yet. All of it is gone when the test ends. */
export async function openCluster(count: number, options: Partial<ServerOptions>): Promise<Cluster> {
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
    const store = { url: `postgres://node${n}@127.0.0.1:${proxy.port}/postgres`, statementTimeout: 3_000 };
    const node = new ClusterNode(`node${n}`, proxy, {
      ...{ port: 0, gameAddresses: NO_GAME, dataDir, publicUrl: 'http://127.0.0.1:1', ...options, store },
    });
    onTestFinished(async () => await node.kill());
    nodes.push(node);
  }
  return {
    nodes,
    postgres,
    admin,
    processesOf: () => new Map(nodes.map(({ name, processes }) => [name, processes])),
  };
}
