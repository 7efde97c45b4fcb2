import { randomUUID } from 'node:crypto';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';

/** Databases of this worker that no test uses: making one takes as long as twenty tests. */
const unused: string[] = [];
let lent = 0;

/** Number of databases that tests of this worker have used. */
export function countLent(): number {
  return lent;
}

/** The address of a store without rows, in a PostgreSQL database that no other test uses until this one ends. */
export async function ownDatabase(): Promise<string> {
  lent++;
  const url = unused.pop() ?? (await askForDatabase());
  onTestFinished(async () => {
    await empty(url);
    unused.push(url);
  });
  return url;
}

/** The address of a database without tables, for this test only. */
export async function emptyDatabase(): Promise<string> {
  const url = new URL(await ownDatabase());
  const name = `empty_${randomUUID()}`;
  const run = async (statement: string) => {
    const client = new Client({ connectionString: new URL('/postgres', url).href });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database "${name}"`);
  onTestFinished(async () => await run(`drop database "${name}" with (force)`));
  return Object.assign(url, { pathname: `/${name}` }).href;
}

async function askForDatabase(): Promise<string> {
  const answer = (await text(connect(inject('databaseMakerPort'), '127.0.0.1'))).trim();
  if (!answer.startsWith('postgres:')) throw new Error(answer);
  return answer;
}

/** In an order in which nothing refers to what is gone. Deleting few rows is faster than to truncate tables. */
const TABLES = [
  ...[
    'callbacks',
    'idempotency_keys',
    'jobs',
    'skin_views',
    'skin_words',
    'skin_tags',
    'skin_likes',
    'skin_days',
    'set_skins',
    'set_names',
    'sets',
    'skins',
    'wardrobe_history',
    'wardrobe',
    'players',
    'capes',
  ],
  ...['texture_data', 'textures', 'api_keys', 'users', 'callers', 'game_accounts', 'upstream_jobs'],
  ...['sessions', 'sign_in_links', 'nodes', 'chores'],
  ...['reports', 'blocked_images', 'operator_log', 'identities', 'first_sign_ins'],
] as const;

/** Whose rows are numbered from 1. */
const NUMBERED = [
  'callbacks',
  'jobs',
  'operator_log',
  'reports',
  'sets',
  'skins',
  'wardrobe_history',
] as const;

/** By the addresses of databases, connections that empty them: opening one takes longer than to delete the rows. */
const emptying = new Map<string, Client>();
/** Their name. A test that ends connections to its database leaves them alone. */
export const EMPTYING = 'emptying';

async function empty(url: string): Promise<void> {
  const client = emptying.get(url) ?? (await openForEmptying(url));
  const deletions = TABLES.map((table) => `delete from ${table};`).join('');
  const numbers = NUMBERED.map(
    (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), 1, false);`,
  );
  const rest =
    "delete from meta where key not in ('schema', 'oldest-reader'); update queue_clock set turn = 0";
  await client.query(`${deletions} ${numbers.join('')} ${rest}`);
}

async function openForEmptying(url: string): Promise<Client> {
  const socket = new Socket();
  const client = new Client({ connectionString: url, application_name: EMPTYING, stream: () => socket });
  client.on('error', () => emptying.delete(url)); // the next test's end opens another
  await client.connect();
  socket.unref(); // it keeps no worker from ending
  emptying.set(url, client);
  return client;
}
