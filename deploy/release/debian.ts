import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { VERSION } from '../../src/base/version.ts';
import { ROOT, releaseTime, settle, type Target } from './executable.ts';
import { fill } from './packages.ts';

/** The Debian package: program, manual pages, completion for three shells, and the units of systemd. */

export const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const;
export type DebianTarget = keyof typeof ARCHITECTURES;

export function isDebianTarget(target: Target): target is DebianTarget {
  return Object.hasOwn(ARCHITECTURES, target);
}

/** The version of the package: the first one of that release. */
export const REVISION = `${VERSION}-1`;

const PARTS = join(import.meta.dirname, 'debian');
const DEPLOY = join(ROOT, 'deploy');
const COMPLETIONS = {
  'skinsmith.bash': 'usr/share/bash-completion/completions/skinsmith',
  _skinsmith: 'usr/share/zsh/vendor-completions/_skinsmith',
  'skinsmith.fish': 'usr/share/fish/vendor_completions.d/skinsmith.fish',
} as const;
const UNITS = ['skinsmith.service', 'skinsmith@.service'];
const EXAMPLES = ['skinsmith.env', 'cluster.conf', 'upstream.conf', 'Caddyfile', 'nginx.conf'];

const OTHER_LICENCES = `The program holds packages whose licences are in THIRD-PARTY-LICENSES.txt.gz, and Node.js, whose licence and those of
its parts are in NODE-LICENSE.gz, both in this folder.
`;

/** Builds it from the folder of the executable. Returns its path. */
export async function buildDebian(target: DebianTarget, folder: string, isFast: boolean): Promise<string> {
  const architecture = ARCHITECTURES[target];
  const tree = join(dirname(folder), `skinsmith_${REVISION}_${architecture}`);
  await rm(tree, { recursive: true, force: true });
  await addProgram(tree, folder);
  await addDocuments(tree, folder);
  await addUnits(tree);
  await settle(tree);
  await addControl(tree, architecture);
  await settle(join(tree, 'DEBIAN'));
  const options = ['--root-owner-group', '-Zxz', isFast ? '-z0' : '-z9'];
  const env = { SOURCE_DATE_EPOCH: String(await releaseTime()) };
  await execa('dpkg-deb', [...options, '--build', tree, `${tree}.deb`], { env });
  await rm(tree, { recursive: true });
  return `${tree}.deb`;
}

async function addProgram(tree: string, folder: string): Promise<void> {
  await copy(join(folder, 'skinsmith'), join(tree, 'usr/bin/skinsmith'));
  for (const [name, path] of Object.entries(COMPLETIONS))
    await copy(join(folder, 'completions', name), join(tree, path));
  for (const page of await readdir(join(folder, 'man'))) {
    const text = await readFile(join(folder, 'man', page));
    await write(join(tree, `usr/share/man/man${page.at(-1)}/${page}.gz`), zipped(text));
  }
}

async function addDocuments(tree: string, folder: string): Promise<void> {
  const documents = join(tree, 'usr/share/doc/skinsmith');
  const licence = await readFile(join(folder, 'LICENSE'), 'utf8');
  await write(join(documents, 'copyright'), `${licence}\n${OTHER_LICENCES}`);
  for (const name of ['THIRD-PARTY-LICENSES.txt', 'NODE-LICENSE'])
    await write(join(documents, `${name}.gz`), zipped(await readFile(join(folder, name))));
  await write(join(documents, 'changelog.gz'), zipped(await readFile(join(ROOT, 'CHANGELOG.md'))));
  await write(join(documents, 'changelog.Debian.gz'), zipped(await debianChangelog()));
  for (const name of EXAMPLES) await copy(join(DEPLOY, name), join(documents, 'examples', name));
  await copy(join(PARTS, 'overrides'), join(tree, 'usr/share/lintian/overrides/skinsmith'));
}

async function addUnits(tree: string): Promise<void> {
  for (const name of UNITS) {
    const text = await readFile(join(DEPLOY, name), 'utf8');
    // The comment at the top says how to install what the package installs.
    const unit = text.replace(/^(?:#.*\n)+\n/, '').replaceAll('/usr/local/bin/', '/usr/bin/');
    await write(join(tree, 'lib/systemd/system', name), unit);
  }
}

async function addControl(tree: string, architecture: string): Promise<void> {
  const { stdout } = await execa('du', ['--apparent-size', '--summarize', '--block-size=1024', tree]);
  const values = { VERSION: REVISION, ARCHITECTURE: architecture, SIZE: stdout.split('\t')[0] ?? '' };
  const control = await readFile(join(PARTS, 'control'), 'utf8');
  await write(join(tree, 'DEBIAN/control'), fill(control, values));
  for (const name of ['postinst', 'prerm', 'postrm'])
    await copy(join(PARTS, name), join(tree, 'DEBIAN', name));
  const files = (await readdir(tree, { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(tree.length + 1));
  const listed = paths.filter((path) => !path.startsWith('DEBIAN/')).sort();
  await write(join(tree, 'DEBIAN/md5sums'), `${(await execa('md5sum', listed, { cwd: tree })).stdout}\n`);
}

/** What Debian wants of its own: this package differs from the release in nothing. */
async function debianChangelog(): Promise<string> {
  const date = new Date((await releaseTime()) * 1000).toUTCString().replace('GMT', '+0000');
  const [, maintainer = ''] =
    /^Maintainer: (.*)$/m.exec(await readFile(join(PARTS, 'control'), 'utf8')) ?? [];
  return `skinsmith (${REVISION}) stable; urgency=medium\n\n  * Release ${VERSION}, see changelog.gz.\n\n -- ${maintainer}  ${date}\n`;
}

function zipped(text: string | Uint8Array): Uint8Array {
  return gzipSync(text, { level: 9 });
}

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}
