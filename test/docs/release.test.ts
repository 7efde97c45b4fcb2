import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { TARGETS } from '../../deploy/release/executable.ts';
import { fill, finishRelease, notesOf } from '../../deploy/release/packages.ts';
import { VERSION } from '../../src/base/version.ts';
import { ROOT } from '../support/program/program.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { sampled } from '../support/setup/extent.ts';

const INSTALL = join(ROOT, 'deploy/install.sh');

/** A program that says which one it is. */
const script = (version: string) => `#!/bin/sh\necho ${version}\n`;

/** A folder with the downloads of a release for Linux, as `npm run release` makes it. */
async function releaseFolder(...versions: readonly string[]): Promise<string> {
  const folder = await ownFolder();
  const sums: string[] = [];
  for (const version of versions) {
    const name = `skinsmith-${version}-linux-x64`;
    for (const inside of ['man', 'completions']) await mkdir(join(folder, name, inside), { recursive: true });
    const texts = [
      'LICENSE',
      'THIRD-PARTY-LICENSES.txt',
      'NODE-LICENSE',
      'man/skinsmith.1',
      'man/skinsmith-formats.5',
    ];
    const scripts = ['skinsmith.bash', '_skinsmith', 'skinsmith.fish'].map((one) => `completions/${one}`);
    for (const path of [...texts, ...scripts]) await writeFile(join(folder, name, path), path);
    await writeFile(join(folder, name, 'skinsmith'), script(version), { mode: 0o755 });
    await execa('tar', ['-cJf', `${name}.tar.xz`, name], { cwd: folder });
    sums.push(`${await sumOf(join(folder, `${name}.tar.xz`))}  ${name}.tar.xz`);
  }
  await writeFile(join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  return folder;
}

async function sumOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** Runs the installer as on a machine that says this of itself. `tools`: programs that stand in for those of the machine. */
async function install(args: readonly string[], tools: Readonly<Record<string, string>> = {}) {
  const bin = await ownFolder();
  const all = { uname: 'case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac', ldd: 'echo glibc', ...tools };
  for (const [name, code] of Object.entries(all)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${code}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const home = join(bin, 'home');
  await mkdir(home);
  const env = { HOME: home, PATH: `${bin}:${process.env['PATH']}` };
  const ran = await execa('sh', [INSTALL, ...args], { env, extendEnv: false, reject: false });
  return { ...ran, home };
}

test('install.sh puts the program, its pages and completion below the prefix, and says what is left to do', async () => {
  const from = await releaseFolder('1.2.3');
  const { exitCode, stdout, stderr, home } = await install(['--from', from]);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Installed skinsmith 1\.2\.3 as .*\/\.local\/bin\/skinsmith\.$/m);
  expect(stdout).toMatch(/^.*\.local\/bin is not on your PATH\. In this shell: export PATH=/m);
  expect((await execa(join(home, '.local/bin/skinsmith'))).stdout).toBe('1.2.3');
  const files = await readdir(join(home, '.local/share'), { recursive: true });
  expect(files).toEqual(
    expect.arrayContaining([
      'man/man1/skinsmith.1',
      'man/man5/skinsmith-formats.5',
      'bash-completion/completions/skinsmith',
      'zsh/site-functions/_skinsmith',
      'fish/vendor_completions.d/skinsmith.fish',
      'doc/skinsmith/NODE-LICENSE',
    ]),
  );
  // The line that removes it leaves nothing but folders.
  const [, line = ''] = /^To remove it: (.*)$/m.exec(stdout) ?? [];
  await execa('sh', ['-c', line]);
  const left = await readdir(join(home, '.local'), { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => !entry.isDirectory())).toEqual([]);
});

test('install.sh installs the requested release over another one', async () => {
  const from = await releaseFolder('1.2.3', '1.10.0');
  const prefix = join(await ownFolder(), 'with space');
  for (const version of ['1.2.3', 'v1.10.0', '1.2.3']) {
    const { exitCode } = await install(['--from', from, '--prefix', prefix, '--version', version]);
    expect(exitCode).toBe(0);
    expect((await execa(join(prefix, 'bin/skinsmith'))).stdout).toBe(version.replace('v', ''));
  }
  expect(await readdir(join(prefix, 'bin'))).toEqual(['skinsmith']);
});

test('install.sh installs from a URL as it does from a folder', async () => {
  const from = await releaseFolder('1.2.3');
  // The last word is the address, the one after -o the file.
  const curl = `while [ $# -gt 1 ]; do if [ "$1" = -o ]; then to=$2; fi; shift; done
echo "$1" >>"${from}/asked"; cp "${from}/\${1##*/}" "$to"`;
  const { exitCode } = await install([], { curl });
  expect(exitCode).toBe(0);
  const base = 'https://github.com/skinsmith/skinsmith/releases/latest/download';
  expect(await readFile(join(from, 'asked'), 'utf8')).toBe(
    `${base}/SHA256SUMS\n${base}/skinsmith-1.2.3-linux-x64.tar.xz\n`,
  );
});

const HARMS = [
  [
    'another checksum',
    /its checksum differs/,
    async (from: string) => {
      await writeFile(join(from, 'skinsmith-1.2.3-linux-x64.tar.xz'), 'other');
    },
  ],
  [
    'no archive for this machine',
    /has no skinsmith for linux-x64/,
    async (from: string) => {
      await writeFile(join(from, 'SHA256SUMS'), `${'0'.repeat(64)}  skinsmith-1.2.3-darwin-x64.tar.xz\n`);
    },
  ],
  [
    'no list of checksums',
    /Cannot read .*SHA256SUMS/,
    async (from: string) => {
      await execa('rm', [join(from, 'SHA256SUMS')]);
    },
  ],
] as const;

test.each(sampled(HARMS, 2))('install.sh installs nothing if there is %s', async (_, problem, harm) => {
  const from = await releaseFolder('1.2.3');
  await harm(from);
  const { exitCode, stderr, home } = await install(['--from', from]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(problem)]);
  expect(await readdir(home)).toEqual([]);
});

const OTHER_MACHINES = [
  [
    'musl',
    { ldd: 'echo "musl libc (x86_64)" >&2; exit 1' },
    /C library musl.*npm install --global skinsmith/,
  ],
  [
    'another processor',
    { uname: 'case $1 in -s) echo Linux ;; *) echo riscv64 ;; esac' },
    /no executable for Linux on riscv64\. Use npm/,
  ],
  ['a minimal Debian', { ldd: 'echo "libatomic.so.1 => not found"' }, /apt-get install libatomic1/],
  ['Windows', { uname: 'echo MINGW64_NT-10.0' }, /Scoop/],
] as const;

test.each(sampled(OTHER_MACHINES, 2))('install.sh says what else to do on %s', async (_, tools, hint) => {
  const from = await releaseFolder('1.2.3');
  const { exitCode, stderr, home } = await install(['--from', from], tools);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(hint)]);
  expect(await readdir(home)).toEqual([]);
});

test('install.sh replaces no link, which npm may have made', async () => {
  const from = await releaseFolder('1.2.3');
  const prefix = await ownFolder();
  await mkdir(join(prefix, 'bin'));
  await symlink('../lib/skinsmith.js', join(prefix, 'bin/skinsmith'));
  const { exitCode, stderr } = await install(['--from', from, '--prefix', prefix]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('npm uninstall --global skinsmith')]);
  expect(await readlink(join(prefix, 'bin/skinsmith'))).toBe('../lib/skinsmith.js');
});

const LINKS = ['bin/skinsmith', 'share/man/man1/skinsmith.1', 'share/doc/skinsmith/LICENSE'];

test.each(sampled(LINKS, 2))('install.sh writes through no link: %s', async (path) => {
  const from = await releaseFolder('1.2.3');
  const prefix = await ownFolder();
  const precious = join(await ownFolder(), 'precious');
  await writeFile(precious, 'mine');
  await mkdir(dirname(join(prefix, path)), { recursive: true });
  await symlink(precious, join(prefix, path));
  const { exitCode, stderr } = await install(['--from', from, '--prefix', prefix]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is a link that this script did not make')]);
  expect(await readFile(precious, 'utf8')).toBe('mine');
  if (path !== 'bin/skinsmith') expect(await readdir(prefix)).not.toContain('bin');
});

test('install.sh does not follow a link in the place of its temporary file', async () => {
  const from = await releaseFolder('1.2.3');
  const prefix = await ownFolder();
  await writeFile(join(prefix, 'precious'), 'mine');
  await mkdir(join(prefix, 'bin'));
  await symlink('../precious', join(prefix, 'bin/skinsmith.new'));
  expect((await install(['--from', from, '--prefix', prefix])).exitCode).toBe(0);
  expect(await readFile(join(prefix, 'precious'), 'utf8')).toBe('mine');
});

test('install.sh takes only the archive with the checksum that it was given', async () => {
  const from = await releaseFolder('1.2.3');
  const sha256 = await sumOf(join(from, 'skinsmith-1.2.3-linux-x64.tar.xz'));
  const other = await install(['--from', from, '--sha256', '0'.repeat(64)]);
  expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining(`but ${sha256}.`)]);
  expect(await readdir(other.home)).toEqual([]);
  expect((await install(['--from', from, '--sha256', sha256])).exitCode).toBe(0);
});

/** Downloads from a folder, whatever the address. */
const curlFrom = (from: string) =>
  `while [ $# -gt 1 ]; do if [ "$1" = -o ]; then to=$2; fi; shift; done; cp "${from}/\${1##*/}" "$to"`;
const GH_SIGNED_IN = '[ "$1 $2" = "auth token" ] && exit 0;';
const ARE_ARGUMENTS_GOOD =
  '[ "$1 $2 $4 $5" = "attestation verify --repo skinsmith/skinsmith" ] && [ "$7" = skinsmith/skinsmith/.github/workflows/release.yml ]';
const IS_BLOB_GOOD =
  '[ "$1 $3" = "verify-blob-attestation --bundle" ] && [ -s "$4" ] && case "$*" in *"^https://github\\.com/skinsmith/skinsmith/.github/workflows/release.yml@refs/tags/v "*tar.xz) exit 0 ;; esac; exit 1';

test.each<readonly [string, Readonly<Record<string, string>>, number]>([
  ['gh confirms', { gh: `${GH_SIGNED_IN} ${ARE_ARGUMENTS_GOOD}` }, 0],
  ['gh denies', { gh: `${GH_SIGNED_IN} exit 1` }, 1],
  ['gh denies, whatever cosign says', { gh: `${GH_SIGNED_IN} exit 1`, cosign: 'exit 0' }, 1],
  ['cosign confirms, where nobody is signed in to gh', { gh: 'exit 1', cosign: IS_BLOB_GOOD }, 0],
  ['cosign denies', { gh: 'exit 1', cosign: 'exit 1' }, 1],
  ['nothing can verify', { gh: 'exit 1' }, 0],
])(
  'install.sh installs a release only with its attestation, as far as that can be verified: %s',
  async (_, tools, status) => {
    const from = await releaseFolder('1.2.3');
    await writeFile(join(from, 'provenance.sigstore.json'), '{}');
    const { exitCode, stderr, home } = await install([], { curl: curlFrom(from), ...tools });
    expect([exitCode, stderr]).toEqual([
      status,
      status === 0 ? '' : expect.stringContaining('has no valid attestation'),
    ]);
    if (status !== 0) expect(await readdir(home)).toEqual([]);
  },
);

test('No script of a package runs in the job that may publish', async () => {
  const text = await readFile(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  const { jobs } = parse(text) as {
    jobs: Record<string, { permissions: Record<string, string>; steps: { run?: string }[] }>;
  };
  const publishing = Object.values(jobs).filter(({ permissions }) => permissions['id-token'] === 'write');
  const lines = publishing.flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split('\n')));
  const calls = lines.filter((line) => /^\s*npm (?:ci|install|publish|pack|run)\b/.test(line));
  expect(calls.length).toBeGreaterThan(2);
  expect(calls.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
  expect(calls.filter((line) => /npm@(?!\d+\.\d+\.\d+\s*$)/.test(line))).toEqual([]);
});

test('install.sh explains its options', async () => {
  const { exitCode, stdout } = await install(['--help']);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^sh install\.sh [\s\S]*--prefix[\s\S]*--from/),
  ]);
  expect((await install(['--prefix'])).exitCode).toBe(2);
  expect((await install(['now'])).exitCode).toBe(2);
});

test('A release is finished with checksums, the bill of materials and the recipes of all package managers', async () => {
  const release = await ownFolder();
  for (const target of Object.keys(TARGETS)) {
    const ending = target.startsWith('win32') ? 'zip' : 'tar.xz';
    await writeFile(join(release, `skinsmith-${VERSION}-${target}.${ending}`), target);
  }
  await writeFile(join(release, `skinsmith-${VERSION}.tgz`), 'npm');
  expect(await finishRelease(release, true)).toEqual([]);
  const recipes = ['PKGBUILD', 'flake.nix', 'skinsmith.json', 'skinsmith.rb'];
  expect((await readdir(join(release, 'packages'))).sort()).toEqual(recipes);
  const texts = await Promise.all(recipes.map((name) => readFile(join(release, 'packages', name), 'utf8')));
  for (const name of await readdir(release)) {
    if (!/\.(?:tar\.xz|zip|tgz)$/.test(name)) continue;
    expect(texts.join(''), name).toContain(await sumOf(join(release, name)));
  }
  expect(texts.join('')).not.toMatch(/@[A-Z_0-9]+@/);
  expect(JSON.parse(texts[2] ?? '')).toMatchObject({ version: VERSION, bin: 'skinsmith.exe' });
  const checked = await execa('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
  expect(checked.stdout.split('\n')).toHaveLength(8);
  const bill = JSON.parse(await readFile(join(release, `skinsmith-${VERSION}.cdx.json`), 'utf8'));
  expect(bill.components[0]).toMatchObject({ name: 'node' });
});

test('A recipe without its download is skipped when nothing is released, and an error in a release', async () => {
  const release = await ownFolder();
  await writeFile(join(release, `skinsmith-${VERSION}-linux-x64.tar.xz`), 'x');
  await writeFile(join(release, `skinsmith-${VERSION}-linux-arm64.tar.xz`), 'y');
  await mkdir(join(release, 'packages'));
  await writeFile(join(release, 'packages', 'flake.nix'), 'of an earlier build');
  expect((await finishRelease(release, false)).sort()).toEqual([
    'flake.nix',
    'skinsmith.json',
    'skinsmith.rb',
  ]);
  expect(await readdir(join(release, 'packages'))).toEqual(['PKGBUILD']);
  await expect(finishRelease(release, true)).rejects.toThrow(/There is no value for @SHA256_/);
  expect(() => fill('@NOTHING@', {})).toThrow('@NOTHING@');
});

test('CHANGELOG.md has an entry for this version, which becomes the notes of the release', async () => {
  const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8');
  expect(notesOf(VERSION, changelog)).toMatch(/^### Added\n\n- /m);
  expect(() => notesOf('9.9.9', changelog)).toThrow('9.9.9');
  const other =
    '# Changelog\n\n## [Unreleased]\n\n- a\n\n## [2.0.0] - 2027-01-01\n\n- b\n\n## [1.0.0]\n\n- c\n\n[1.0.0]: x\n';
  expect([notesOf('2.0.0', other), notesOf('1.0.0', other)]).toEqual(['- b\n', '- c\n']);
  expect(notesOf('2.0.1', '# Changelog\n\n## [2.0.10]\n\n- ten\n\n## [2.0.1]\n\n- one\n')).toBe('- one\n');
});
