import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildDebian, isDebianTarget } from './debian.ts';
import { buildFolder, pack, type Target } from './executable.ts';

/** Tries out what a release has for Linux: `npm run release -- --check`, on Debian and as root. */

/** @throws Error if something is not as it should be */
export async function check(release: string, targets: readonly Target[], isFast: boolean): Promise<void> {
  for (const target of targets) await checkSame(release, target, isFast);
}

/** Builds once more, elsewhere: the files are the same, byte by byte. */
async function checkSame(release: string, target: Target, isFast: boolean): Promise<void> {
  const again = await mkdtemp(join(tmpdir(), 'skinsmith-again-'));
  try {
    const folder = await buildFolder(target, again);
    await pack(folder, isFast);
    if (isDebianTarget(target)) await buildDebian(target, folder, isFast);
    const built = (await readdir(again, { withFileTypes: true })).filter((entry) => entry.isFile());
    for (const { name } of built) await execa('cmp', [join(release, name), join(again, name)]);
    say(`${target}: built twice, the same ${built.map(({ name }) => name).join(' and ')}`);
  } finally {
    await rm(again, { recursive: true });
  }
}

function say(text: string): void {
  process.stdout.write(`ok  ${text}\n`);
}
