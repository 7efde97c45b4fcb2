import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** What `digestOfInputs` was when the pages were last photographed. */
export const RECORD = join(import.meta.dirname, 'inputs.txt');
/** What pages look like comes from here. */
const INPUTS = ['src/server/pages', 'examples'];

/** SHA-256 over the files that the pictures are made from. Their pixels differ a little with each run. */
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
