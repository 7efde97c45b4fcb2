import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait, for processes, databases or a service's pace; the longest first. */
const WAITING = [
  'test/e2e/examples.test.ts',
  'test/service/running/unreachable-store.test.ts',
  'test/e2e/serve-cluster.test.ts',
  'test/e2e/serve.test.ts',
  'test/service/gateway/trouble.test.ts',
  'test/service/jobs/skins-restorer.test.ts',
  'test/contract/postgres-queue.test.ts',
  'test/e2e/batch-limits.test.ts',
  'test/e2e/signers.test.ts',
  'test/e2e/serve-processes.test.ts',
  'test/e2e/batch-stop.test.ts',
  'test/cli/batch/make-one-skin.test.ts',
  'test/e2e/skin-data.test.ts',
  'test/service/jobs/generating.test.ts',
  'test/e2e/download-cut-off.test.ts',
  'test/service/skins/skin-changes.test.ts',
  'test/e2e/trouble.test.ts',
  'test/server/generators/upstream/sending.test.ts',
  'test/cli/commands/login.test.ts',
  'test/service/running/refusals.test.ts',
  'test/service/callers/revoking.test.ts',
  'test/e2e/batch-sharing.test.ts',
  'test/service/running/stopping.test.ts',
  'test/e2e/batch.test.ts',
  'test/batch/convert.test.ts',
  'test/server/generators/upstream/textures.test.ts',
  'test/service/gateway/gateway.test.ts',
  'test/server/http/fastify/network-limits.test.ts',
  'test/service/v1/delays.test.ts',
  'test/e2e/hosted-service.test.ts',
  'test/service/jobs/idempotency.test.ts',
  'test/service/game-accounts/failing.test.ts',
  'test/service/game-accounts/restoring.test.ts',
  'test/service/limits/starving.test.ts',
  'test/service/jobs/waiting.test.ts',
  'test/service/limits/limits.test.ts',
  'test/service/running/published-contract.test.ts',
];

/** Files that keep a core busy for seconds, and folders with many such files; the longest first. */
const BUSY = [
  'test/service/pages/every-page.test.ts',
  'test/processes/rolling-upgrade.test.ts',
  'test/docs/readme.test.ts',
  'test/service/pages/hostile-texts.test.ts',
  'test/service/pages/own-pages.test.ts',
  'test/e2e/soak.test.ts',
  'test/contract',
  'test/processes',
  'test/e2e',
  'test/service',
];

/**
 * One project after the other: a worker serves one only, and another one has to load everything again, which takes as
 * long as ten files of tests. In each, begins with the files that take long: one that was begun last would run while all
 * other workers have nothing left to do. Files that wait are spread among those that need a core, so that few workers
 * keep all cores busy: the more of them share a core, the slower each gets. Without this a clone, which remembers no
 * times yet, orders them by their size.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.keys()].sort().flatMap((name) => spreadOut(projects.get(name) ?? []));
  }
}

function spreadOut(files: readonly TestSpecification[]): TestSpecification[] {
  const waiting = sortedBy(
    WAITING,
    files.filter((file) => placeOf(file, WAITING) < WAITING.length),
  );
  const busy = sortedBy(
    BUSY,
    files.filter((file) => !waiting.includes(file)),
  );
  const mixed = busy.flatMap((file, index) => (index % 3 === 0 ? [file, ...waiting.splice(0, 1)] : [file]));
  return [...mixed, ...waiting];
}

function sortedBy(list: readonly string[], files: readonly TestSpecification[]): TestSpecification[] {
  return files.toSorted((a, b) => placeOf(a, list) - placeOf(b, list));
}

/** The place in a list of a file, or of a folder that it is in; past its end: none. */
function placeOf({ moduleId, project }: TestSpecification, list: readonly string[]): number {
  const path = relative(project.config.root, moduleId);
  const place = list.findIndex((long) => path === long || path.startsWith(`${long}/`));
  return place < 0 ? list.length : place;
}
