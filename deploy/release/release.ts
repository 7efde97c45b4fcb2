/**
 * Builds a release into `release/`: `npm run release`, after which follow words:
 *
 *   TARGET …      what to build (linux-x64 …); without any, everything that this machine can finish
 *   --fast        compresses little, for tests
 *   --unpacked    makes only the folder with the executable
 *   --check       tries out what was built, see check.ts; only on Debian, as root
 *   --finish      builds nothing: writes checksums and recipes for the downloads of all targets, which must be there
 *   --notes       prints what CHANGELOG.md says about this version
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../../src/base/version.ts';
import { buildDebian, isDebianTarget } from './debian.ts';
import { buildFolder, isTarget, ownTargets, pack, ROOT, type Target } from './executable.ts';
import { finishRelease, notesOf } from './packages.ts';

const RELEASE = join(ROOT, 'release');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unpacked: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    finish: { type: 'boolean', default: false },
    notes: { type: 'boolean', default: false },
  },
});

if (options.notes) process.stdout.write(notesOf(VERSION, await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8')));
else if (options.finish) await finishRelease(RELEASE, true);
else await build(positionals.length === 0 ? ownTargets() : positionals.map(targetNamed));

function targetNamed(name: string): Target {
  if (isTarget(name)) return name;
  throw new Error(`There is no target ${name}.`);
}

async function build(targets: readonly Target[]): Promise<void> {
  await mkdir(RELEASE, { recursive: true });
  for (const target of targets) {
    const folder = await buildFolder(target, RELEASE);
    if (options.unpacked) continue;
    say(await pack(folder, options.fast));
    if (isDebianTarget(target)) say(await buildDebian(target, folder, options.fast));
  }
  if (options.unpacked) return;
  for (const name of await finishRelease(RELEASE, false)) say(`${name} needs the downloads of other targets`);
  if (options.check) await (await import('./check.ts')).check(RELEASE, targets, options.fast);
}

function say(text: string): void {
  process.stdout.write(`${text.startsWith(ROOT) ? relative(ROOT, text) : text}\n`);
}
