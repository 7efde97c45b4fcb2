import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files, or folders of files, with the seconds that each of these takes by itself: on two cores, or of CPU. */
type Times = Readonly<Record<string, number>>;

/** Files that mostly wait, for processes, browsers, databases or a service's pace; the longest first. */
const WAITING: Times = {
  'test/e2e/batch-stop.test.ts': 23,
  'test/on-postgres/skins.test.ts': 22,
  'test/processes/chaos.test.ts': 22,
  'test/e2e/soak.test.ts': 20,
  'test/service/pages/journeys.test.ts': 19,
  'test/e2e/batch-trouble.test.ts': 15,
  'test/service/pages/hostile-texts.test.ts': 15,
  'test/e2e/serve.test.ts': 14,
  'test/testing.test.ts': 14,
  'test/service/pages/every-page.test.ts': 14,
  'test/service/skins/skin-changes.test.ts': 13,
  'test/e2e/signers.test.ts': 13,
  'test/cli/batch/make-one-skin.test.ts': 13,
  'test/e2e/serve-cluster.test.ts': 12,
  'test/service/jobs/skins-restorer.test.ts': 12,
  'test/on-postgres/running.test.ts': 11,
  'test/e2e/skin-data.test.ts': 11,
  'test/docs/readme.test.ts': 11,
  'test/e2e/examples.test.ts': 10,
  'test/service/game-accounts/random-faults.test.ts': 10,
  'test/service/running/listeners.test.ts': 10,
  'test/e2e/batch-limits.test.ts': 9,
  'test/on-postgres/callers.test.ts': 9,
  'test/processes/lost-claims.test.ts': 9,
  'test/e2e/batch.test.ts': 9,
  'test/e2e/batch-lost-answers.test.ts': 9,
  'test/e2e/proxies.test.ts': 8,
  'test/service/gateway/trouble.test.ts': 8,
  'test/on-postgres/queue-events.test.ts': 7,
  'test/e2e/trouble.test.ts': 7,
  'test/e2e/timeout.test.ts': 7,
  'test/service/pages/make-journeys.test.ts': 7,
  'test/server/generators/upstream/submitting/sending.test.ts': 7,
  'test/e2e/download-cut-off.test.ts': 6,
  'test/cli/commands/login.test.ts': 6,
  'test/cli/program/players.test.ts': 6,
  'test/cli/serve/served-pack.test.ts': 6,
  'test/service/pages/own-pages.test.ts': 6,
  'test/cli/commands/verify.test.ts': 6,
  'test/e2e/hosted-service.test.ts': 5,
  'test/e2e/batch-sharing.test.ts': 5,
  'test/batch/convert.test.ts': 5,
  'test/service/pages/tray.test.ts': 5,
  'test/contract/adapter-ways.test.ts': 5,
  'test/server/metrics/metrics.test.ts': 5,
  'test/service/pages/operator.test.ts': 5,
  'test/service/callers/revoking.test.ts': 4,
  'test/service/v1/delays.test.ts': 4,
  'test/service/game-accounts/failing.test.ts': 4,
  'test/e2e/ci.test.ts': 4,
  'test/service/jobs/idempotency.test.ts': 4,
  'test/on-postgres/limits.test.ts': 4,
  'test/service/limits/starving.test.ts': 4,
  'test/server/http/node-server/network-limits.test.ts': 4,
  'test/service/pages/page-trouble.test.ts': 4,
  'test/contract/postgres-queue.test.ts': 3,
  'test/service/limits/limits.test.ts': 3,
  'test/on-postgres/gateway.test.ts': 3,
  'test/server/generators/upstream/results/textures.test.ts': 3,
  'test/service/running/unreachable-store.test.ts': 3,
  'test/service/running/replaced-database.test.ts': 3,
  'test/server/store/meta/frozen-stores.test.ts': 3,
  'test/e2e/kept-files.test.ts': 3,
  'test/cli/commands/open/signed-in.test.ts': 3,
  'test/service/pages/wearers.test.ts': 3,
  'test/service/pages/attacks.test.ts': 2,
  'test/service/gateway/gateway.test.ts': 2,
  'test/service/game-accounts/restoring.test.ts': 2,
  'test/service/running/refusals.test.ts': 2,
  'test/service/jobs/waiting.test.ts': 2,
  'test/on-postgres/jobs.test.ts': 1,
};

/** Files that keep a core busy, and folders with many such files; the longest first. */
const BUSY: Times = {
  'test/conformance/run/breakages.test.ts': 18,
  'test/e2e/ci-workflow.test.ts': 15,
  'test/double/expectations.test.ts': 9,
  'test/contract/adapters-any-request.test.ts': 7,
  'test/e2e/other-owner.test.ts': 6,
  'test/processes/frozen-store.test.ts': 5,
  'test/service/pages/keyboard.test.ts': 5,
  'test/service/skins/export-cut-off.test.ts': 5,
  'test/batch/run/run-batch/worlds.test.ts': 5,
  'test/conformance/run.test.ts': 4,
  'test/batch/run/run-batch/figures.test.ts': 4,
  'test/batch/run/run-batch/outages.test.ts': 4,
  'test/base/files/replaced.test.ts': 3,
  'test/processes': 1.1,
  'test/e2e': 0.9,
  'test/contract': 0.8,
  'test/service': 0.5,
};

/** Begun by a run of their own (test/run.ts), beside one of all others. */
export const WAITING_FILES: readonly string[] = Object.keys(WAITING);

const ALL = Object.keys({ ...WAITING, ...BUSY });

/**
 * Begins with the files that take long: one that was begun last would run while all other workers have nothing left to
 * do. Without this a clone, which remembers no times yet, orders them by their size.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/** In the lists above; those that are not there come last. */
function placeOf({ project, moduleId }: TestSpecification): number {
  const path = relative(project.config.root, moduleId);
  const place = ALL.findIndex((known) => path === known || path.startsWith(`${known}/`));
  return place < 0 ? ALL.length : place;
}
