import { expect, test } from 'vitest';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';

test('A batch that does not follow its jobs is done with each source once its job is accepted', async () => {
  const { clock, service, batch } = await prepareScripted({});
  const summary = await clock.until(batch(3, { follow: false }));
  expect(summary).toMatchObject({ submitted: 3, finished: 3, left: 0, made: 0 });
  expect(service.requests.submit).toHaveLength(3);
});

test('A batch that follows its jobs counts each source once, with its skin', async () => {
  const { clock, batch } = await prepareScripted({});
  expect(await clock.until(batch(3))).toMatchObject({ submitted: 3, finished: 3, left: 0, made: 3 });
});
