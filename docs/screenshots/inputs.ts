import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The value of `digestOfInputs` at the last screenshots. */
export const RECORD = join(import.meta.dirname, 'inputs.txt');
/** The sources of the pages' appearance. */
const INPUTS = ['src/html', 'src/pages', 'examples'];

/** SHA-256 of the sources of the pictures, whose pixels differ a little with each run. */
export async function digestOfInputs(): Promise<string> {
  const digest = createHash('sha256');
  for (const folder of INPUTS) {
    const files = await readdir(join(ROOT, folder), { recursive: true });
    const pictured = files
      .filter((file) => /\.(?:ts|css|svg)$/.test(file) || /^[\w-]+\.png$/.test(file))
      .sort();
    for (const file of pictured)
      digest.update(`${folder}/${file}\0`).update(await readFile(join(ROOT, folder, file)));
  }
  return digest.digest('hex');
}
