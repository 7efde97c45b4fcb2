import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMaterials } from '../support/setup/materials.ts';
import { apply, type Mutation } from './mutations.ts';
import type { Stages } from './reach.ts';
import { type RunRequest, type TestRun, TestRuns } from './test-runs.ts';

/** What a copy shares with the project: no bug is put there. Pages need the scripts and styles in `dist`. */
const SHARED = ['node_modules', 'dist'];
const NOT_COPIED = new Set([...SHARED, '.git']);

/** A copy of the project in a temporary folder, in which bugs can be put. */
export class Copy {
  readonly #folder: string;
  readonly #runs: TestRuns;

  static async make(root: string): Promise<Copy> {
    const folder = await mkdtemp(join(tmpdir(), 'skinsmith-mutants-'));
    for (const part of await readdir(root)) {
      if (!NOT_COPIED.has(part)) await cp(join(root, part), join(folder, part), { recursive: true });
    }
    for (const part of SHARED) await symlink(join(root, part), join(folder, part));
    await mkdir(join(folder, 'setup'));
    await makeMaterials(join(folder, 'setup'));
    return new Copy(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
    this.#runs = new TestRuns(folder, join(folder, 'setup'));
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
      for (const tests of stages) {
        const request: RunRequest = { tests, isFirstFailureEnough: true };
        const by = noticedBy(await this.#runs.run(request, limit));
        if (by !== undefined) return by;
      }
      return undefined;
    } finally {
      await writeFile(path, text);
    }
  }

  /** Runs all of these tests. */
  async run(tests: readonly string[]): Promise<TestRun> {
    return await this.#runs.run({ tests, isFirstFailureEnough: false });
  }

  async close(): Promise<void> {
    await this.#runs.close();
    this.remove();
  }

  /** At once, whatever is running in it. */
  remove(): void {
    this.#runs.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The test file that failed, or why there is no answer; undefined if all passed. */
function noticedBy({ failures, errors }: TestRun): string | undefined {
  // Files that were not begun any more count as failed as well, without a test.
  const first = failures.find(({ tests }) => tests.length > 0) ?? failures[0];
  if (first) return first.file;
  return errors.length > 0 ? `no test: ${errors[0]?.split('\n', 1)[0]}` : undefined;
}
