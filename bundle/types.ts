import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Removes the declarations that are unreachable from the library's entries (`node bundle/types.ts`, after the compiler),
 * which declares every module that the entry loads. Two fifths of that is useless.
 */

const IMPORTED = /(?:from|import\(|import)\s*['"](\.[^'"]+)\.ts['"]/g;

/** Paths of the declarations that the entries need, with their own. */
export function declarationsFor(...entries: readonly string[]): ReadonlySet<string> {
  const needed = new Set(entries);
  for (const file of needed) for (const path of importedBy(file)) needed.add(path);
  return needed;
}

function importedBy(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return Array.from(text.matchAll(IMPORTED), ([, path = '']) => resolve(file, '..', `${path}.d.ts`));
}

export function removeUnneeded(folder: string, ...entries: readonly string[]): void {
  const needed = declarationsFor(...entries.map((entry) => join(folder, entry)));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.map((name) => join(folder, name)))
    if (file.endsWith('.d.ts') && !needed.has(file)) rmSync(file);
}

if (import.meta.main)
  removeUnneeded(
    fileURLToPath(new URL('../dist/types', import.meta.url)),
    'src/index.d.ts',
    'src/testing.d.ts',
  );
