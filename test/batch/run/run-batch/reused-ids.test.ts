import { expect, test } from 'vitest';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';

test('If a service reuses job ids after a restart, every skin still gets its result', async () => {
  let submissions = 0;
  const { clock, service, events, batch } = await prepareScripted({
    serviceTime: (job) => (job === 0 && submissions < 6 ? 5_000 : 300),
    instead: (asked) => {
      if (asked === 'submit' && ++submissions === 6) service.jobs.length = 0;
      return undefined;
    },
  });
  const summary = await clock.until(batch(30));
  expect(summary).toMatchObject({ end: 'complete', finished: 30, made: 29, failed: 1, left: 0 });
  const failed = events.filter((event) => event.type === 'result' && event.result.error !== undefined);
  expect(failed).toMatchObject([{ result: { error: { code: 'job_missing' } } }]);
  // The id is another job's now, so that the next run does not take that for its own, nor submits it again unasked.
  expect(await clock.until(batch(30))).toMatchObject({ finished: 30, made: 0, failed: 1, submitted: 0 });
  expect(await clock.until(batch(30, { resubmitLost: true }))).toMatchObject({ made: 1, failed: 0 });
});
