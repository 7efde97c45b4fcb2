/**
 * A process that runs test files of the project in the current folder whenever it is asked to, and answers with what
 * failed. Its setup is made once, so that a run takes a fraction of the time of a new process.
 */
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createVitest, type TestModule } from 'vitest/node';
import type { RunRequest, TestRun } from './test-runs.ts';

const root = process.cwd();
const vitest = await createVitest('test', { root, watch: false, maxWorkers: 2, reporters: [{}] });

// The first project has all tests; others run some of them again.
const [project = vitest.getRootProject()] = vitest.projects;

process.on('message', async (request: RunRequest) => process.send?.(await run(request)));
process.once('disconnect', async () => {
  await vitest.close();
  process.exit();
});

async function run({ tests, isFirstFailureEnough }: RunRequest): Promise<TestRun> {
  for (const one of [vitest.config, project.config])
    Object.assign(one, { bail: isFirstFailureEnough ? 1 : 0 });
  const specifications = tests.map((test) => project.createSpecification(join(root, test)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // Those of earlier runs are there as well.
  const modules = testModules.filter(({ relativeModuleId }) => tests.includes(relativeModuleId));
  const failures = modules.filter((module) => module.state() !== 'passed').map(failureOf);
  return { failures, errors: unhandledErrors.map(messageOf) };
}

function failureOf(module: TestModule): TestRun['failures'][number] {
  const tests = [...module.children.allTests('failed')].map(({ fullName }) => fullName);
  return { file: module.relativeModuleId, tests };
}

/** Errors come from workers as plain objects, some of which cannot be turned into text. */
function messageOf(error: unknown): string {
  return error instanceof Object && 'message' in error ? String(error.message) : inspect(error);
}
