import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { makeMaterials } from '../support/setup/materials.ts';
import { apply, type Mutation } from './mutations.ts';
import type { Stages } from './reach.ts';

const PARTS = [
  'src',
  'test',
  'man',
  'bin',
  'docs',
  'examples',
  'completions',
  'build.ts',
  'package.json',
  'README.md',
];
const SETTINGS = ['tsconfig.json', 'tsconfig.types.json', 'vitest.config.ts'];

/** A bug that makes a loop endless is noticed by time, milliseconds. */
const LONGEST = 180_000;

/** A copy of the project in a temporary folder, in which bugs can be put. */
export class Copy {
  readonly #folder: string;

  static async make(root: string): Promise<Copy> {
    const folder = await mkdtemp(join(tmpdir(), 'skinsmith-mutants-'));
    for (const part of [...PARTS, ...SETTINGS])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, 'setup'));
    await makeMaterials(join(folder, 'setup'));
    return new Copy(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether one of the stages fails with the mutation; they run one after the other until one does. */
  async notices(file: string, mutation: Mutation, stages: Stages): Promise<boolean> {
    const path = join(this.#folder, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, apply(text, mutation));
    try {
      for (const stage of stages) if (await this.fails(stage)) return true;
      return false;
    } finally {
      await writeFile(path, text);
    }
  }

  /** Whether at least one of these test files fails. */
  async fails(tests: readonly string[]): Promise<boolean> {
    const { failed } = await execa('vitest', ['run', '--bail=1', '--maxWorkers=2', ...tests], {
      cwd: this.#folder,
      preferLocal: true,
      localDir: this.#folder,
      reject: false,
      timeout: LONGEST,
      stdio: 'ignore',
      env: { SKINSMITH_TESTS_SETUP: join(this.#folder, 'setup') },
    });
    return failed;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
