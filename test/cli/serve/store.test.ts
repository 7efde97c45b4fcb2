import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../../src/cli/errors/exit.ts';
import { chooseStore, type StoreOptions } from '../../../src/cli/serve/store.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import { testIo } from '../../support/cli/test-io.ts';

function choose(typed: StoreOptions, env: NodeJS.ProcessEnv = {}) {
  const messages = new Messages(testIo().io, {});
  return chooseStore(typed, { env, messages, signal: AbortSignal.timeout(1) });
}

function refusal(typed: StoreOptions, env: NodeJS.ProcessEnv = {}): string {
  try {
    choose(typed, env);
  } catch (error) {
    if (error instanceof CliError && error.exit === 'usage') return error.message;
    throw error;
  }
  throw new Error('It was accepted.');
}

const URL = 'postgres://skins@db.example/skins';

test('Without a database the store is a file', () => {
  expect(choose({})).toBeUndefined();
  expect(choose({}, { SKINSMITH_STORE: '' })).toBeUndefined();
});

test('The database is named by the option, or else by the environment', () => {
  expect(choose({ store: URL }, { SKINSMITH_STORE: 'postgres://other/db' })?.url).toBe(URL);
  expect(choose({}, { SKINSMITH_STORE: URL })?.url).toBe(URL);
});

test('The number of connections and the use of a pooler are passed on', () => {
  expect(choose({ store: URL, storeConnections: 7 })).toMatchObject({ connections: 7, prepares: true });
  expect(choose({ store: URL, storePooler: true })).toMatchObject({ prepares: false });
});

test.each([
  'db.example',
  'mysql://db.example/geheim',
  'postgres://u:geheim@[',
  'postgres://geheim#part',
  'postgres://u:geheim@one.example,two.example/skins',
  'postgres://u:1/geheim@one.example/skins',
  'postgres://u:1?geheim@one.example/skins',
  'postgres:///skins?password=geheim&host=one.example,two.example',
])('An invalid database address is refused without being shown: %s', (store) => {
  const message = refusal({ store });
  expect(message).toContain('postgres://user@host/name');
  expect(message).not.toContain('geheim');
});

test('Options of a database are refused without a database', () => {
  expect(refusal({ storePooler: true })).toContain('--store-…');
  expect(refusal({ storeConnections: 5 })).toContain('--store-…');
});

test('TLS is set as in other clients, by the address, or else by the environment', () => {
  const sslrootcert = import.meta.filename;
  const env = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: sslrootcert };
  const chosen = new globalThis.URL(choose({ store: URL }, env)?.url ?? '').searchParams;
  expect(Object.fromEntries(chosen)).toEqual({ sslmode: 'verify-full', sslrootcert });
  expect(choose({ store: `${URL}?sslmode=require` }, { PGSSLMODE: 'disable' })?.url).toContain(
    'sslmode=require',
  );
});

test("A connection trusts the authorities that Node.js trusts, and checks the server's certificate", () => {
  const { searchParams } = new globalThis.URL(choose({ store: `${URL}?sslrootcert=system` })?.url ?? '');
  expect(Object.fromEntries(searchParams)).toEqual({ sslmode: 'verify-full' });
});

test('The password file is the one that the environment names, or the usual one', () => {
  const chosen = (env: NodeJS.ProcessEnv) =>
    new globalThis.URL(choose({ store: URL }, env)?.url ?? '').searchParams.get('passfile');
  expect(chosen({ HOME: '/home/ann', PGPASSFILE: '/run/pgpass' })).toBe('/run/pgpass');
  const [folders, usual] =
    process.platform === 'win32'
      ? [{ APPDATA: '/home/ann' }, join('/home/ann', 'postgresql', 'pgpass.conf')]
      : [{ HOME: '/home/ann' }, '/home/ann/.pgpass'];
  expect(chosen(folders)).toBe(usual);
  expect(chosen({})).toBeNull();
});

test('TLS settings that would not do what they say are refused', () => {
  expect(refusal({ store: `${URL}?sslmode=no-verify` })).toContain(
    'one of disable, allow, prefer, require, verify-ca, verify-full',
  );
  expect(refusal({ store: `${URL}?sslmode=require&sslrootcert=system` })).toContain('must be verify-full');
  expect(refusal({ store: `${URL}?sslmode=verify-ca` })).toContain('add sslrootcert=FILE');
  const missing = join(import.meta.dirname, 'missing.pem');
  expect(refusal({ store: `${URL}?sslmode=verify-full&sslrootcert=${missing}` })).toContain(missing);
});
