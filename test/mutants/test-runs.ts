import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface RunRequest {
  /** Test files, as paths from the project's root. */
  readonly tests: readonly string[];
  readonly isFirstFailureEnough: boolean;
}

export interface TestRun {
  readonly failures: readonly {
    /** Path of the test file from the project's root. */
    readonly file: string;
    /** The tests that failed; none when the file was not loaded, or not begun any more. */
    readonly tests: readonly string[];
  }[];
  /** What went wrong outside of tests. */
  readonly errors: readonly string[];
}

const PROGRAM = join(import.meta.dirname, 'test-process.ts');

/** Runs test files of the project at `root` one request after the other, in a process that is kept. */
export class TestRuns {
  readonly #root: string;
  readonly #setup: string;
  #process: ChildProcess | undefined;

  /** `setup`: folder of a setup that is ready, see test/support/setup/build.ts. */
  constructor(root: string, setup: string) {
    this.#root = root;
    this.#setup = setup;
  }

  /** @param limit milliseconds after which the run is ended, which counts as an error; absent: it may take any time */
  async run(request: RunRequest, limit?: number): Promise<TestRun> {
    this.#process ??= this.#start();
    const child = this.#process;
    const settled = new AbortController();
    let reason = 'its process ended';
    const stop = () => {
      reason = `it took more than ${limit} ms`;
      this.end();
    };
    const timer = limit === undefined ? undefined : setTimeout(stop, limit);
    child.send(request);
    const ended = once(child, 'exit', settled).then((): TestRun => ({ failures: [], errors: [reason] }));
    const answer = once(child, 'message', settled).then(([run]) => run as TestRun);
    return await Promise.race([answer, ended]).finally(() => {
      clearTimeout(timer);
      settled.abort();
    });
  }

  /** Lets the process end by itself, so that it stops what its tests share. */
  async close(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }

  /** Kills the workers too: a worker in an endless loop would outlive the process that started it. */
  end(): void {
    const { pid } = this.#process ?? {};
    this.#process = undefined;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // They have just ended.
    }
  }

  #start(): ChildProcess {
    const env = { ...process.env, SKINSMITH_TESTS_SETUP: this.#setup };
    const child = fork(PROGRAM, {
      cwd: this.#root,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('exit', () => {
      if (this.#process === child) this.#process = undefined;
    });
    return child;
  }
}
