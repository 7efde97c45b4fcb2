import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { ARCHITECTURES, buildDebian, type DebianTarget, isDebianTarget, REVISION } from './debian.ts';
import { buildFolder, fileOf, nameOf, nodeOf, pack, ROOT, type Target } from './executable.ts';

/**
 * Tries out what a release has for Linux: `npm run release -- --check`, on Debian and as root, with the packages lintian,
 * man-db, qemu-user-static, shellcheck and systemd. What is for another processor is started by QEMU.
 */

/** @throws Error if something is not as it should be */
export async function check(release: string, targets: readonly Target[], isFast: boolean): Promise<void> {
  await checkScripts();
  for (const target of targets) await checkSame(release, target, isFast);
  for (const target of targets.filter(isDebianTarget)) {
    await inFolder(async (folder) => await checkImage(release, target, folder));
    await inFolder(async (folder) => await checkDebian(release, target, folder));
  }
  for (const target of targets.filter(isOwn))
    await measureStart(join(release, nameOf(target), fileOf(target)));
}

async function checkScripts(): Promise<void> {
  const maintainer = ['postinst', 'postrm', 'prerm'].map((name) => `release/debian/${name}`);
  const scripts = ['install.sh', 'image-root.sh', ...maintainer];
  await execa('shellcheck', scripts, { cwd: join(ROOT, 'deploy') });
  say(`shellcheck finds nothing in ${scripts.join(', ')}`);
}

function isOwn(target: Target): boolean {
  return target === `${process.platform}-${process.arch}`;
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-check-'));
  await chmod(folder, 0o755); // another user has it as its root
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds once more, elsewhere: the files are the same, byte by byte. */
async function checkSame(release: string, target: Target, isFast: boolean): Promise<void> {
  await inFolder(async (again) => {
    const folder = await buildFolder(target, again);
    await pack(folder, isFast);
    if (isDebianTarget(target)) await buildDebian(target, folder, isFast);
    const built = (await readdir(again, { withFileTypes: true })).filter((entry) => entry.isFile());
    for (const { name } of built) await execa('cmp', [join(release, name), join(again, name)]);
    say(`${target}: built twice, the same ${built.map(({ name }) => name).join(' and ')}`);
  });
}

const PORT = '17546';
const SERVICE = `http://127.0.0.1:${PORT}`;

/** The image's files, without /proc, /dev or anything else of this machine; only /data and /tmp can be written. */
async function checkImage(release: string, target: DebianTarget, root: string): Promise<void> {
  const executable = join(release, nameOf(target), 'skinsmith');
  await execa('sh', [join(ROOT, 'deploy/image-root.sh'), executable, ARCHITECTURES[target], root]);
  if (!isOwn(target)) return await checkEmulated(target, root);
  const server = inside(root, ['serve', '--port', PORT, '--log-format', 'json', '--no-owner-key']);
  let hasEnded = false;
  void server.then(() => {
    hasEnded = true;
  });
  try {
    while ((await inside(root, ['health', '--base-url', SERVICE])).exitCode !== 0) {
      if (hasEnded) throw new Error(`The image does not start: ${(await server).stderr}`);
      await sleep(200);
    }
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    if (!/^Uid:\t1000\t1000\t1000\t1000$/m.test(status)) throw new Error('The image runs as another user.');
    const form = new FormData();
    form.set('file', new Blob([await readFile(join(ROOT, 'examples/smith.png'))]), 'smith.png');
    const made = await fetch(`${SERVICE}/v2/generate`, { method: 'POST', body: form });
    const { skin } = (await made.json()) as { skin: { uuid: string } };
    const drawn = await fetch(`${SERVICE}/v2/skins/${skin.uuid}/body.png`);
    if (!made.ok || !drawn.ok || !(await fetch(SERVICE)).ok) throw new Error('The image serves no skins.');
  } finally {
    server.kill('SIGTERM');
  }
  const { exitCode, stderr } = await server;
  if (exitCode !== 0) throw new Error(`The image ended with ${exitCode}: ${stderr}`);
  say(`${target}: the image's files serve skins, pictures and pages as user 1000, read-only but for /data`);
}

/**
 * A program in the image, in a namespace of its own where all is read-only but the image's volume and /tmp. unshare, sh and
 * chroot become the program.
 */
function inside(root: string, words: readonly string[]) {
  const script = `mount --bind "$1" "$1" && mount --bind "$1/data" "$1/data" && mount -t tmpfs tmpfs "$1/tmp" &&
    mount -o remount,bind,ro "$1" && exec chroot --userspec=1000:1000 "$@"`;
  const env = {
    PATH: '/usr/bin:/usr/sbin',
    SKINSMITH_DATA_DIR: '/data',
    SKINSMITH_CONFIG_DIR: '/data/config',
  };
  const command = ['--mount', 'sh', '-c', script, 'sh', root, '/usr/bin/skinsmith', ...words];
  return execa('unshare', command, { env, extendEnv: false, reject: false });
}

async function checkEmulated(target: DebianTarget, root: string): Promise<void> {
  const emulator = `qemu-${target === 'linux-arm64' ? 'aarch64' : 'x86_64'}-static`;
  await cp(join('/usr/bin', emulator), join(root, emulator));
  await cp(join(ROOT, 'examples/smith.png'), join(root, 'smith.png'));
  const env = { PATH: '/usr/bin', SKINSMITH_DATA_DIR: '/data', SKINSMITH_CONFIG_DIR: '/data/config' };
  const start = ['--userspec=1000:1000', root, `/${emulator}`, '/usr/bin/skinsmith'];
  const { stdout } = await execa('/usr/sbin/chroot', [...start, 'generate', '/smith.png', '--json'], {
    env,
    extendEnv: false,
  });
  if (JSON.parse(stdout).signature.length !== 684) throw new Error(`${target} makes no skins: ${stdout}`);
  say(`${target}: the image's files make a skin, as user 1000, under ${emulator}`);
}

/** Installs, uses, upgrades, removes and purges the package in a folder, with a systemctl that only writes down its words. */
async function checkDebian(release: string, target: DebianTarget, folder: string): Promise<void> {
  const file = join(release, `skinsmith_${REVISION}_${ARCHITECTURES[target]}.deb`);
  const { stdout: tags } = await execa('lintian', ['--fail-on', 'error', '--allow-root', file], {
    all: true,
  });
  if (!isOwn(target)) return say(`${target}: lintian finds no error in the package\n${tags}`);
  const machine = await DebianMachine.make(folder);
  await machine.dpkg('--install', file);
  await machine.expectSystemctl(['daemon-reload']);
  await machine.use();
  await machine.dpkg('--install', await repacked(file, folder));
  await machine.expectSystemctl(['daemon-reload', 'try-restart skinsmith.service skinsmith@*.service']);
  await machine.dpkg('--remove', 'skinsmith');
  const stopped = ['disable skinsmith@7547.service', 'stop skinsmith.service skinsmith@*.service'];
  await machine.expectSystemctl([...stopped, 'daemon-reload']);
  const { all } = await machine.dpkg('--purge', 'skinsmith');
  if (!all?.includes('skinsmith leaves its data')) throw new Error(`purge says nothing of the data: ${all}`);
  const left = await machine.files();
  const isData = (path: string) => path.startsWith('var/lib/skinsmith/');
  if (!left.includes('var/lib/skinsmith/signing-key.pem') || !left.every(isData))
    throw new Error(`After purge there are ${left}`);
  say(
    `${target}: the package was installed, used, upgraded, removed and purged; lintian finds no error\n${tags}`,
  );
}

/** The package as its next revision. */
async function repacked(file: string, folder: string): Promise<string> {
  const tree = join(folder, 'next');
  await execa('dpkg-deb', ['--raw-extract', file, tree]);
  const control = join(tree, 'DEBIAN/control');
  await writeFile(control, (await readFile(control, 'utf8')).replace(/^(Version: .*)$/m, '$1+next'));
  await execa('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, `${tree}.deb`]);
  return `${tree}.deb`;
}

class DebianMachine {
  readonly #root: string;
  readonly #bin: string;
  readonly #log: string;

  private constructor(folder: string) {
    this.#root = join(folder, 'root');
    this.#bin = join(folder, 'bin');
    this.#log = join(folder, 'systemctl.log');
  }

  static async make(folder: string): Promise<DebianMachine> {
    const machine = new DebianMachine(folder);
    const wants = 'etc/systemd/system/multi-user.target.wants';
    for (const name of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'run/systemd/system', wants])
      await mkdir(join(machine.#root, name), { recursive: true });
    await writeFile(join(machine.#root, 'var/lib/dpkg/status'), '');
    await mkdir(machine.#bin);
    const script = `#!/bin/sh\nset -f\necho "$*" >>'${machine.#log}'\n[ "$1" != disable ] || rm '${machine.#root}/${wants}/'"$2"\n`;
    await writeFile(join(machine.#bin, 'systemctl'), script, { mode: 0o755 });
    await execa('ln', [
      '-s',
      '/lib/systemd/system/skinsmith@.service',
      join(machine.#root, wants, 'skinsmith@7547.service'),
    ]);
    return machine;
  }

  /** The libraries that the package needs are those of this machine. */
  async dpkg(...words: readonly string[]) {
    const options = [`--root=${this.#root}`, '--force-script-chrootless', '--force-depends'];
    const env = { PATH: `${this.#bin}:/usr/sbin:/usr/bin:/sbin:/bin` };
    return await execa('dpkg', [...options, ...words], { env, all: true });
  }

  /** What the maintainer scripts have told systemd to do since the last time. */
  async expectSystemctl(words: readonly string[]): Promise<void> {
    const said = (await readFile(this.#log, 'utf8')).trim();
    await rm(this.#log);
    if (said !== words.join('\n')) throw new Error(`systemctl was called with:\n${said}`);
  }

  async use(): Promise<void> {
    const at = (path: string) => join(this.#root, path);
    const data = at('var/lib/skinsmith');
    const env = { SKINSMITH_DATA_DIR: data, SKINSMITH_CONFIG_DIR: at('tmp/config') };
    await mkdir(data, { recursive: true });
    await execa(at('usr/bin/skinsmith'), ['generate', join(ROOT, 'examples/smith.png')], { env });
    await rm(at('tmp'), { recursive: true, force: true });
    await this.#verifyUnits();
    const { stderr } = await execa(
      'man',
      ['--warnings', '-l', at('usr/share/man/man1/skinsmith-serve.1.gz')],
      {
        env: { MANPAGER: 'cat' },
      },
    );
    if (stderr !== '') throw new Error(`man says: ${stderr}`);
    await execa('bash', [
      '-c',
      `. '${at('usr/share/bash-completion/completions/skinsmith')}' && complete -p skinsmith`,
    ]);
  }

  /** systemd looks for the program where the unit says, which is not here. */
  async #verifyUnits(): Promise<void> {
    const folder = join(this.#root, '../units');
    await mkdir(folder);
    for (const name of ['skinsmith.service', 'skinsmith@.service']) {
      const text = await readFile(join(this.#root, 'lib/systemd/system', name), 'utf8');
      if (!/^ExecStart=\/usr\/bin\/skinsmith /m.test(text))
        throw new Error(`${name} starts another program.`);
      await writeFile(join(folder, name), text.replace('/usr/bin/', join(this.#root, 'usr/bin/')));
    }
    const units = ['skinsmith.service', 'skinsmith@7546.service'].map((name) => join(folder, name));
    await execa('systemd-analyze', ['--man=no', 'verify', ...units]);
  }

  /** All files but those of dpkg. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(this.#root.length + 1));
    return paths.filter((path) => !path.startsWith('var/lib/dpkg/') && !/-(?:shm|wal)$/.test(path)).sort();
  }
}

/** How long the program takes to start, beside Node alone: medians of twenty runs, in turn. */
async function measureStart(executable: string): Promise<void> {
  const node = await nodeOf(`${process.platform}-${process.arch}` as Target);
  const rows = {
    'node -e 0 (the same Node)': [node, '-e', '0'],
    'skinsmith --version': [executable, '--version'],
    'skinsmith check FILE': [executable, 'check', join(ROOT, 'examples/smith.png')],
    'npm: skinsmith --version': [process.execPath, join(ROOT, 'bin/skinsmith.js'), '--version'],
    'npm: skinsmith check FILE': [
      process.execPath,
      join(ROOT, 'bin/skinsmith.js'),
      'check',
      join(ROOT, 'examples/smith.png'),
    ],
  } satisfies Record<string, [string, ...string[]]>;
  const times = new Map<string, number[]>();
  for (let run = 0; run < 21; run++) {
    for (const [name, [file, ...words]] of Object.entries(rows)) {
      const start = performance.now();
      await execa(file as string, words);
      // The first run fills the caches.
      if (run > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  for (const [name, all] of times)
    say(`${name}: ${all.sort((one, other) => one - other)[10]?.toFixed(0)} ms`);
}

function say(text: string): void {
  process.stdout.write(`ok  ${text}\n`);
}
