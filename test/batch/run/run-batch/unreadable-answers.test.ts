import { describe, expect, test } from 'vitest';
import { runScripted } from '../../../support/scripted/run-scripted.ts';
import type { Asked, ScriptedAnswer } from '../../../support/scripted/scripted-service.ts';

const SKINS = 10;

/** A proxy's page, or the beginning of the service's answer. */
const PAGES: readonly [string, ScriptedAnswer][] = [
  ['a page with a 200', { status: 200, headers: {}, body: '<html>Just a moment...</html>' }],
  ['a page with a 404', { status: 404, headers: {}, body: '<html>Not Found</html>' }],
  ['half an answer', { status: 200, headers: {}, body: '{"success":true,"jo' }],
];
const READS: readonly Asked[] = ['list', 'job', 'me'];

describe.each(PAGES)('%s', (_, page) => {
  test.each(READS)('instead of the first three answers to a read (%s) costs no skin', async (read) => {
    let left = 3;
    const { summary, service } = await runScripted(SKINS, {
      instead: (asked) => (asked === read && left-- > 0 ? page : undefined),
    });
    expect(summary).toMatchObject({ end: 'complete', made: SKINS, failed: 0 });
    expect([service.jobs.length, service.mostUnfinished]).toEqual([SKINS, 5]);
  });
});

test('a page with a 404 instead of every answer to a read of a job fails its skin once, after a few requests', async () => {
  const page = { status: 404, headers: {}, body: '<html>Not Found</html>' };
  const { summary, service } = await runScripted(1, {
    instead: (asked) => (asked === 'job' ? page : undefined),
  });
  expect(summary).toMatchObject({ made: 0, failed: 1 });
  expect(service.jobs.length).toBe(1);
  expect(service.requests.job.length).toBeLessThanOrEqual(8);
});
