import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMaterials } from '../support/setup/materials.ts';
import { apply, type Mutation } from './mutations.ts';
import type { Stages } from './reach.ts';
import { runTests, type TestRun } from './run-tests.ts';

/** What a copy shares with the project or does without. */
const LEFT_OUT = new Set(['node_modules', '.git', 'dist']);

/** A copy of the project in a temporary folder, in which bugs can be put. */
export class Copy {
  readonly #folder: string;

  static async make(root: string): Promise<Copy> {
    const folder = await mkdtemp(join(tmpdir(), 'skinsmith-mutants-'));
    for (const part of await readdir(root)) {
      if (!LEFT_OUT.has(part)) await cp(join(root, part), join(folder, part), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, 'setup'));
    await makeMaterials(join(folder, 'setup'));
    return new Copy(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * What noticed the mutation, undefined if nothing did. The stages run one after the other until one fails.
   * @param limit milliseconds that one stage may take: a bug may make a loop endless
   */
  async noticed(
    file: string,
    mutation: Mutation,
    stages: Stages,
    limit: number,
  ): Promise<string | undefined> {
    const path = join(this.#folder, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, apply(text, mutation));
    try {
      for (const stage of stages) {
        const { isPassed, failures } = await this.run(stage, { limit, isFirstFailureEnough: true });
        if (isPassed) continue;
        // Files that were not begun any more count as failed as well, without a test.
        const first = failures.find(({ tests }) => tests.length > 0) ?? failures[0];
        return first?.file ?? 'no test, but a run that did not end well';
      }
      return undefined;
    } finally {
      await writeFile(path, text);
    }
  }

  async run(
    tests: readonly string[],
    options: { limit?: number; isFirstFailureEnough?: boolean } = {},
  ): Promise<TestRun> {
    return await runTests(this.#folder, tests, { ...options, setup: join(this.#folder, 'setup') });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
