import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes from 10 to 80 s, because it waits for processes or for a service's pace; the longest first. */
const LONG = [
  'test/service/gateway/trouble.test.ts',
  'test/service/pages/every-page.test.ts',
  'test/processes/rolling-upgrade.test.ts',
  'test/processes/chaos.test.ts',
  'test/docs/readme.test.ts',
  'test/e2e/soak.test.ts',
  'test/service/pages/hostile-texts.test.ts',
  'test/processes/lockfile-crash.test.ts',
  'test/service/gateway/gateway.test.ts',
  'test/batch/run/run-batch/figures.test.ts',
  'test/contract',
  'test/service/jobs/skins-restorer.test.ts',
  'test/service/game-accounts/weather.test.ts',
  'test/e2e',
  'test/service/pages/journeys.test.ts',
  'test/processes',
  'test/service',
];

/**
 * One project after the other: a worker serves one only, and another one has to load everything again, which takes as
 * long as ten files of tests. In each, begins with the files that take long: one that was begun last would run while all
 * other workers have nothing left to do. Without this a clone, which remembers no times yet, orders them by their size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => a.project.name.localeCompare(b.project.name) || placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId);
  const place = LONG.findIndex((long) => path === long || path.startsWith(`${long}/`));
  return place < 0 ? LONG.length : place;
}
