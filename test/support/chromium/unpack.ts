import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import manifest from '../../../package.json' with { type: 'json' };

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/** Where the browser finds its fonts. Without one it ends at the first field of a form. */
export const FONTS_FILE = 'own-fonts.conf';

function fontsIn(folder: string): string {
  const cache = join(folder, 'cache');
  return `<?xml version="1.0"?><fontconfig><dir>${folder}</dir><cachedir>${cache}</cachedir></fontconfig>`;
}

/**
 * The folder with Chromium, its fonts and the libraries that it needs. The first call unpacks them, which takes some
 * seconds; they stay in `node_modules/.cache` for all later runs.
 */
export async function unpackedChromium(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const cache = await realpath(CACHE); // a copy of the sources, which is removed before the cache, may have a link to it
  const folder = join(cache, `chromium-${manifest.devDependencies['@sparticuz/chromium']}`);
  if (existsSync(join(folder, FONTS_FILE))) return folder;
  const own = await mkdtemp(join(cache, 'chromium-unpacking-'));
  try {
    await execa(process.execPath, [join(import.meta.dirname, 'unpack-here.ts')], { env: { TMPDIR: own } });
    await writeFile(join(own, FONTS_FILE), fontsIn(join(folder, 'fonts')));
    // One of an earlier version of these tests has no settings. One that has them is in use: the rename fails.
    if (existsSync(folder) && !existsSync(join(folder, FONTS_FILE))) await rm(folder, { recursive: true });
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(join(folder, FONTS_FILE))) throw error; // else another test file was first
  }
  return folder;
}
