import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import manifest from '../../../package.json' with { type: 'json' };

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/**
 * The folder with Chromium, its fonts and the libraries that it needs. The first call unpacks them, which takes some
 * seconds; they stay in `node_modules/.cache` for all later runs.
 */
export async function unpackedChromium(): Promise<string> {
  const folder = join(CACHE, `chromium-${manifest.devDependencies['@sparticuz/chromium']}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const own = await mkdtemp(join(CACHE, 'chromium-unpacking-'));
  try {
    await execa(process.execPath, [join(import.meta.dirname, 'unpack-here.ts')], { env: { TMPDIR: own } });
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another test file was first
  }
  return folder;
}
