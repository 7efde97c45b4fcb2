import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { skinPng } from '../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../support/server/running-server.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

guardAgainstLeaks();

const DIST = join(import.meta.dirname, '../../dist');
const GUARD = /^import ["']\.\.\/bin\/library-node\.js["'];\n/;

/** Imports the library in a process that takes itself for this version of Node. */
function importUnder(version: string): string {
  const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' });
import('${join(DIST, 'index.js')}').then(() => console.log('imported'), (error) => console.log(error.message));`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
}

const VERSIONS = [
  ['20.11.0', 'skinsmith needs Node 22.19 or newer; this is Node 20.11.0.\n'],
  ['22.18.0', 'skinsmith needs Node 22.19 or newer; this is Node 22.18.0.\n'],
  ['22.19.0', 'imported\n'],
] as const;

test.each(sampled(VERSIONS, 3, 1))(
  'The library under Node %s says in one sentence whether it is too old',
  (version, said) => {
    expect(importUnder(version)).toBe(said);
  },
);

test('No file of the library uses newer features of Node before the version is checked', () => {
  const files = readdirSync(DIST).filter((name) => name.endsWith('.js'));
  for (const name of files) {
    const text = readFileSync(join(DIST, name), 'utf8');
    expect(text).toMatch(GUARD);
    expect(text.match(/^import \{.*\} from "node:.*$/gm)).toBeNull();
  }
});

/** As Bun does it: the version, and agents of undici that have none of its methods. */
const BUN = `import { registerHooks } from 'node:module';
Object.defineProperty(process.versions, 'bun', { value: '1.4.5' });
const url = 'data:text/javascript,export class Agent {} export class Pool {} export class ProxyAgent {}';
registerHooks({ resolve: (name, context, next) => name === 'undici' ? { url, shortCircuit: true } : next(name, context) });`;
const asBun = ['--import', `data:text/javascript,${encodeURIComponent(BUN)}`];

test('The client sends its requests with fetch where undici is only imitated, as in Bun', async () => {
  const { url, key } = await runServer();
  const script = `import { SkinClient } from '${join(DIST, 'index.js')}';
const client = new SkinClient({ baseUrl: '${url}', apiKey: '${key}' });
const file = new Uint8Array(Buffer.from(process.env.SKIN, 'base64'));
const { skin } = await client.generate({ file }, { name: 'Smith' });
const refused = await client.skin('0'.repeat(32)).catch(({ code }) => code);
await client.close();
console.log(skin.name, refused);`;
  const env = { ...process.env, SKIN: skinPng(1).toString('base64') };
  const args = [...asBun, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toBe('Smith skin_not_found\n');
});

// Otherwise client/transport knows such addresses.
testWhole('In Bun too, a key is not sent to a public address over http', async () => {
  const script = `import { SkinClient } from '${join(DIST, 'index.js')}';
const resolve = async () => [{ address: '203.0.113.9', family: 4 }];
const client = new SkinClient({ baseUrl: 'http://skins.example', apiKey: '${'k'.repeat(64)}', resolve });
await client.me().catch(({ name }) => console.log(name));`;
  const args = [...asBun, '--input-type=module', '--eval', script];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('InsecureHttpError\n');
});

test('A service and commands say in one sentence that they need Node', () => {
  const script = `import { openService } from '${join(DIST, 'index.js')}';
await openService({ dataDir: '/nowhere' }).catch(({ message }) => console.log(message));`;
  const args = [...asBun, '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe(
    'openService needs Node 22.19 or newer, and this is Bun 1.4.5. Run this program with node.\n',
  );
  const program = join(import.meta.dirname, '../../bin/skinsmith.js');
  const ran = spawnSync(process.execPath, [...asBun, program, 'version'], { encoding: 'utf8' });
  expect([ran.status, ran.stderr]).toEqual([
    1,
    "skinsmith's commands need Node 22.19 or newer, and this is Bun 1.4.5. Run them with Node: npx skinsmith\n",
  ]);
});
