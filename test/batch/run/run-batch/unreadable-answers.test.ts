import { describe, expect, test } from 'vitest';
import { contentOf, type Reply } from '../../../../src/double/replies.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
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
  test.each(READS)('instead of the first three answers to a read (%s) makes no skin fail', async (read) => {
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

/** A batch at a service that accepts each submission with this instead of the job. */
async function acceptedWith(instead: (job: string) => Pick<Reply, 'headers' | 'body'>) {
  const { clock, hosted, times, batch } = await openWorld({ serviceTime: 450 });
  hosted.disturb = async ({ kind }, process) => {
    const answer = await process();
    if (kind !== 'submit') return answer;
    const { job } = contentOf(answer) as { job: { id: string } };
    return { status: 202, ...instead(job.id) };
  };
  const { made, failed } = await clock.until(batch(SKINS));
  const sent = times(['submit']);
  const longestPause = Math.max(...sent.slice(1).map((at, n) => at - sent[n]!));
  return { made, failed, sent: sent.length, longestPause, took: clock.monotonic() };
}

const NOTHING = Buffer.alloc(0);

test.each<[string, (job: string) => Pick<Reply, 'headers' | 'body'>]>([
  ['nothing but a path', (id) => ({ headers: { location: `/v2/queue/${id}` }, body: NOTHING })],
  [
    'JSON without a job, and an address',
    (id) => ({ headers: { location: `http://hosted.example/v2/queue/${id}` }, body: Buffer.from('{}') }),
  ],
])(
  'A job that the answer to its submission names by %s in Location is followed like any other',
  async (_, instead) => {
    const { took, ...end } = await acceptedWith(instead);
    expect(end).toMatchObject({ made: SKINS, failed: 0, sent: SKINS });
    expect(took).toBeLessThanOrEqual(3_000);
  },
);

test('Submissions whose answers name no job at all do not wait longer each time, while the list shows their jobs', async () => {
  const { longestPause, ...end } = await acceptedWith(() => ({ headers: {}, body: NOTHING }));
  expect(end).toMatchObject({ made: SKINS, failed: 0, sent: SKINS });
  expect(longestPause).toBeLessThanOrEqual(6_000); // after five seconds a list must show it
});
