import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const DIST = join(import.meta.dirname, '../../dist');
const GUARD = /^import ["']\.\.\/bin\/library-node\.js["'];\n/;

/** Imports the library in a process that takes itself for this version of Node. */
function importUnder(version: string): string {
  const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' });
import('${join(DIST, 'index.js')}').then(() => console.log('imported'), (error) => console.log(error.message));`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
}

test.each([
  ['20.11.0', 'skinsmith needs Node 22.19 or newer; this is Node 20.11.0.\n'],
  ['22.18.0', 'skinsmith needs Node 22.19 or newer; this is Node 22.18.0.\n'],
  ['22.19.0', 'imported\n'],
])('The library under Node %s says in one sentence whether it is too old', (version, said) => {
  expect(importUnder(version)).toBe(said);
});

test('No file of the library names what an old Node lacks before the version is checked', () => {
  const files = readdirSync(DIST).filter((name) => name.endsWith('.js'));
  for (const name of files) {
    const text = readFileSync(join(DIST, name), 'utf8');
    expect(text).toMatch(GUARD);
    expect(text.match(/^import \{.*\} from "node:.*$/gm)).toBeNull();
  }
});
