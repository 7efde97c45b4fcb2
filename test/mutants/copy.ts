import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeMaterials } from '../support/setup/materials.ts';
import { apply, type Mutation } from './mutations.ts';
import type { Stages } from './reach.ts';
import { type RunRequest, type TestRun, TestRuns } from './test-runs.ts';

/** What a copy shares with the project: no bug is put there. */
const SHARED = 'node_modules';
const NOT_COPIED = new Set([SHARED, '.git']);
/** Has the built program, and the scripts and styles of pages. */
const BUILT = 'dist';

/** Tests that should notice a bug. The stages of each run one after the other until one fails. */
export interface Noticing {
  /** Those that load the sources. */
  readonly stages: Stages;
  /** Those of what is built from them. */
  readonly built?: Stages;
}

/** A copy of the project in a temporary folder, in which bugs can be put. */
export class Copy {
  readonly #root: string;
  readonly #folder: string;
  readonly #runs: TestRuns;

  static async make(root: string): Promise<Copy> {
    const folder = await mkdtemp(join(tmpdir(), 'skinsmith-mutants-'));
    for (const part of await readdir(root)) {
      if (!NOT_COPIED.has(part)) await cp(join(root, part), join(folder, part), { recursive: true });
    }
    await symlink(join(root, SHARED), join(folder, SHARED));
    await mkdir(join(folder, 'setup'));
    await makeMaterials(join(folder, 'setup'));
    return new Copy(root, folder);
  }

  private constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
    this.#runs = new TestRuns(folder, join(folder, 'setup'));
  }

  /**
   * What noticed the mutation, undefined if nothing did.
   * @param limit milliseconds that one stage may take: a bug may make a loop endless
   */
  async noticed(
    file: string,
    mutation: Mutation,
    { stages, built = [] }: Noticing,
    limit: number,
  ): Promise<string | undefined> {
    const path = join(this.#folder, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, apply(text, mutation));
    try {
      return (await this.#firstOf(stages, limit)) ?? (await this.#firstOfBuilt(built, limit));
    } finally {
      await writeFile(path, text);
    }
  }

  async #firstOf(stages: Stages, limit: number): Promise<string | undefined> {
    for (const tests of stages) {
      const request: RunRequest = { tests, isFirstFailureEnough: true };
      const by = noticedBy(await this.#runs.run(request, limit));
      if (by !== undefined) return by;
    }
    return undefined;
  }

  async #firstOfBuilt(stages: Stages, limit: number): Promise<string | undefined> {
    if (stages.length === 0) return undefined;
    try {
      await promisify(execFile)(process.execPath, ['build.ts'], { cwd: this.#folder });
      return await this.#firstOf(stages, limit);
    } finally {
      await rm(join(this.#folder, BUILT), { recursive: true, force: true });
      await cp(join(this.#root, BUILT), join(this.#folder, BUILT), { recursive: true });
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
