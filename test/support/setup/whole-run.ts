/** Whether tests try everything, as `.ci/run` does. `npm test` leaves out what takes long and seldom finds more. */
export const isWhole = process.env['SKINSMITH_TESTS_WHOLE'] === '1';

/**
 * Files that only a run of everything tries, with what else notices the same kind of fault, or what alone can cause one.
 * By name, each can be run at any time.
 */
export const WHOLE_ONLY: Readonly<Record<string, string>> = {
  'test/docs/action.test.ts': 'changes to action.yml',
  'test/docs/release.test.ts': 'changes to install.sh and to what makes a release',
  'test/e2e/authlib-injector.test.ts': 'service/running/game-servers, server/service/game-servers',
  'test/e2e/batch-beside.test.ts': 'e2e/batch-sharing, dispatch/shared-queue',
  'test/e2e/batch-lost-answers.test.ts': 'dispatch/lost-answers, dispatch/running-job',
  'test/e2e/bodies-in-pieces.test.ts': 'server/http/unfinished, server/http/bodies',
  'test/e2e/ci-workflow.test.ts': 'docs/readme, e2e/ci',
  'test/e2e/gateway.test.ts': 'service/gateway, processes/queue',
  'test/e2e/hostile-lockfile.test.ts': 'batch/run/gone-sources, batch/lockfile',
  'test/e2e/known-pictures.test.ts': 'service/limits/store-growth, server/service/limits/store-ceiling',
  'test/e2e/library-service.test.ts': 'index, docs/readme',
  'test/e2e/other-owner.test.ts': 'a run as root; others skip most of it',
  'test/e2e/other-sites.test.ts': 'service/pictures, service/skins/skins',
  'test/e2e/pictures.test.ts': 'e2e/serve, service/pictures',
  'test/e2e/proxies.test.ts': 'cli/config/network-settings, base/proxies',
  'test/e2e/serve-postgres.test.ts': 'on-postgres, e2e/serve, e2e/serve-cluster',
  'test/e2e/soak.test.ts': 'e2e/batch-stop, batch/run/run-batch/data-away',
  'test/e2e/timeout.test.ts': 'cli/program, batch/run',
  'test/e2e/watch.test.ts': 'cli/commands/jobs/watch-jobs',
  'test/on-postgres/callers.test.ts': 'service/callers, contract',
  'test/on-postgres/game-accounts.test.ts': 'service/game-accounts, contract/adapters',
  'test/on-postgres/gateway.test.ts': 'service/gateway, contract/gateway',
  'test/on-postgres/limits.test.ts': 'service/limits, contract/postgres-queue',
  'test/on-postgres/moderation.test.ts': 'service/moderation, contract/adapters',
  'test/on-postgres/players.test.ts': 'service/players, contract/adapters-any-request',
  'test/on-postgres/running.test.ts': 'service/running, on-postgres/jobs',
  'test/processes/frozen-store.test.ts': 'changes to the schema: server/store/schema',
  'test/processes/lost-claims.test.ts': 'server/workers/worker-pool/store-trouble',
  'test/service/game-accounts/random-faults.test.ts': 'the other files of service/game-accounts',
  'test/service/gateway/trouble.test.ts': 'contract/gateway, server/generators/upstream, dispatch',
  'test/service/jobs/skins-restorer.test.ts':
    'service/v1/delays, service/limits/limits, service/jobs/fabric-tailor',
  'test/service/pages/keyboard.test.ts': 'service/pages/every-page, enter-key, own-pages',
  'test/service/running/conformance.test.ts': 'conformance/run/breakages, contract/adapters',
  'test/service/pages/viewer.test.ts': 'service/pages/journeys; changes to pages/browser/viewer.ts',
  'test/service/running/fuzz.test.ts': 'contract/adapters-any-request, service/running/manners',
  'test/service/skins/export-cut-off.test.ts': 'service/skins/export, e2e/export-cut-off',
  'test/service/v1/curl.test.ts': 'service/v1/generating, service/v1/getting, service/v1/refusals',
  'test/support/chromium/chromium.test.ts': 'service/pages, which need that browser',
  'test/support/fake-game/main.test.ts': 'changes to main.ts beside it',
  'test/support/hosted/killing.test.ts': 'changes to killing.ts beside it',
  'test/support/hosted/main.test.ts': 'changes to main.ts beside it',
};
