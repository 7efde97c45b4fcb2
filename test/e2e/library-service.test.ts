import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFolder } from '../support/server/own-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'dist/index.js');

/** The program in the document that opens a service, with the built library. */
function exampleProgram(): string {
  const text = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
  const [, example = ''] = /```ts\n(import \{ openService[\s\S]*?)```/.exec(text) ?? [];
  return example.replace("'skinsmith'", JSON.stringify(ENTRY));
}

test('A program makes a skin with a service of its own, as the document says', async () => {
  const folder = await ownFolder();
  await copyFile(join(ROOT, 'examples/smith.png'), join(folder, 'smith.png'));
  const program = [
    "import { readFile } from 'node:fs/promises';",
    exampleProgram(),
    'console.log(skin.texture.data.signature.length > 0, skin.variant);',
  ];
  await writeFile(join(folder, 'program.mjs'), program.join('\n'));
  const said = execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(said).toBe('true classic\n');
});
