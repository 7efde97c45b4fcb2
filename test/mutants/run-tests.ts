import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';

/** The part of vitest's JSON report that is read. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export interface Failure {
  /** Path of the test file from the project's root. */
  readonly file: string;
  /** The tests that failed; none when the file itself could not be loaded. */
  readonly tests: readonly string[];
}

export interface TestRun {
  readonly isPassed: boolean;
  /** Empty also when the run was ended or failed as a whole. */
  readonly failures: readonly Failure[];
  /** What the run printed. */
  readonly output: string;
}

export interface RunOptions {
  /** Folder of a setup that is ready, see test/support/setup/build.ts. */
  readonly setup: string;
  /** Milliseconds after which the run is ended; without it, it may take any time. */
  readonly limit?: number;
  readonly isFirstFailureEnough?: boolean;
}

/** Runs test files of the project at `root` in processes of their own. */
export async function runTests(
  root: string,
  tests: readonly string[],
  { setup, limit, isFirstFailureEnough = false }: RunOptions,
): Promise<TestRun> {
  const report = join(setup, 'report.json');
  await rm(report, { force: true });
  const bail = isFirstFailureEnough ? ['--bail=1'] : [];
  const run = execa(
    'vitest',
    [
      'run',
      `--maxWorkers=${Math.min(2, tests.length)}`,
      '--reporter=json',
      `--outputFile=${report}`,
      ...bail,
      ...tests,
    ],
    {
      cwd: root,
      preferLocal: true,
      localDir: root,
      reject: false,
      all: true,
      stdin: 'ignore',
      // In a process group of its own: a worker in an endless loop does not end with the process that started it.
      detached: true,
      env: { SKINSMITH_TESTS_SETUP: setup },
    },
  );
  const endGroup = () => {
    try {
      if (run.pid !== undefined) process.kill(-run.pid, 'SIGKILL');
    } catch {
      // They have just ended.
    }
  };
  const timer = limit === undefined ? undefined : setTimeout(endGroup, limit);
  process.once('exit', endGroup);
  const { failed, all } = await run;
  clearTimeout(timer);
  process.off('exit', endGroup);
  return { isPassed: !failed, failures: await readFailures(root, report), output: all };
}

async function readFailures(root: string, report: string): Promise<readonly Failure[]> {
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  const { testResults } = reportSchema.parse(JSON.parse(text));
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => ({
      file: relative(root, name),
      tests: assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    }));
}
