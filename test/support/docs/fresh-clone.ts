import { existsSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, join, relative } from 'node:path';
import { execa } from 'execa';
import { writeForShells } from '../program/called-by-shells.ts';
import { ownFolder } from '../server/own-folder.ts';
import { giveSigningKey } from '../server/running-server.ts';
import { isWhole } from '../setup/whole-run.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What a clone does not have, and `npm install` brings or makes. */
const NOT_CLONED = new Set(['node_modules', 'dist', '.git', 'coverage']);

/** Folders in which a reader of the README changes nothing, so they need not be copied. */
const ONLY_READ = ['src', 'test', 'docs', 'bench', 'man'];

/** Stands for npm, because tests use no network: the tree is installed and built already. */
const NPM = `#!/bin/sh
case "$*" in
  install | "run build") test -f dist/cli.cjs ;; # npx prepares the package once more
  test) grep -q '"test": "node test/run.ts"' package.json ;;
  "install -g .") ln -s ../for-shells/skinsmith "$(dirname "$0")/skinsmith" ;; # see FreshClone.make
  *) echo "Not expected: npm $*" >&2; exit 64 ;;
esac
`;

/** The working tree as someone who clones it has it, with a home of its own that nothing was run in. */
export class FreshClone {
  readonly folder: string;
  readonly cwd: string;
  readonly env: Record<string, string>;

  private constructor(folder: string) {
    this.folder = folder;
    this.cwd = join(folder, 'clone');
    this.env = {
      HOME: join(folder, 'home'),
      PATH: [join(folder, 'bin'), ...foldersWithoutSkinsmith()].join(delimiter),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    };
  }

  /**
   * A clone with a remote that can be pushed to. The program that is installed globally runs inside this process: a start
   * of its own for each line takes ten times as long. `npx` starts it as readers do.
   */
  static async make(): Promise<FreshClone> {
    const clone = new FreshClone(await ownFolder());
    const isCopied = (from: string) =>
      !NOT_CLONED.has(basename(from)) && !ONLY_READ.includes(relative(ROOT, from));
    await cp(ROOT, clone.cwd, { recursive: true, filter: isCopied });
    for (const name of ['node_modules', 'dist', ...ONLY_READ])
      await symlink(join(ROOT, name), join(clone.cwd, name));
    for (const name of ['home', 'bin']) await mkdir(join(clone.folder, name));
    await writeFile(join(clone.folder, 'bin/npm'), NPM, { mode: 0o755 });
    await writeForShells(join(clone.folder, 'for-shells/skinsmith'));
    // Otherwise e2e/bin starts what npx does, and textures/signing-key makes a key.
    if (!isWhole) await clone.#callDirectly();
    await clone.#commit();
    return clone;
  }

  /** `npx` without npm, and a signing key: both take longer than all commands. */
  async #callDirectly(): Promise<void> {
    const npx =
      '#!/bin/sh\nwhile [ "$1" = --yes ]; do shift; done\nPATH="$(dirname "$0")/../for-shells:$PATH" exec "$@"\n';
    await writeFile(join(this.folder, 'bin/npx'), npx, { mode: 0o755 });
    const dataDir = join(this.env['HOME'] ?? '', '.local/share/skinsmith');
    await mkdir(dataDir, { recursive: true });
    await giveSigningKey(dataDir);
  }

  async #commit(): Promise<void> {
    const { cwd, env, folder } = this;
    const git = async (...args: string[]) =>
      await execa('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd, env });
    await git('init', '--quiet', '--bare', join(folder, 'remote.git'));
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '.gitignore', 'package.json', 'examples');
    await git('commit', '--quiet', '--message', 'A clone');
    await git('remote', 'add', 'origin', join(folder, 'remote.git'));
    await git('push', '--quiet', '--set-upstream', 'origin', 'main');
  }
}

/** The folders of PATH without those where the developer of skinsmith has it installed. */
function foldersWithoutSkinsmith(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !existsSync(join(folder, 'skinsmith')));
}
