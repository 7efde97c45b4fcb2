import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';
import type { Script } from '../../../support/scripted/scripted-service.ts';

/** Every skin is there at once. */
const AT_ONCE: Script = {
  serviceTime: () => 0,
  alter: (asked, { body }) => {
    if (asked === 'submit' && body.job) Object.assign(body.job, { status: 'completed', result: body.job.id });
  },
};
const KNOWN = { slots: 3, signingKey: async () => undefined };

test('A known service gets requests for skins only, and no folder is shared', async () => {
  const { clock, service, batch, folder } = await prepareScripted(AT_ONCE);
  expect(await clock.until(batch(4, { known: KNOWN }))).toMatchObject({ made: 4 });
  const { submit, job, ...others } = service.requests;
  expect([submit.length, job.length, others]).toEqual([4, 4, { list: [], me: [], other: [] }]);
  expect(await readdir(join(folder, 'state'))).not.toContain('shares');
});

test('A known service gets no more jobs at once than it has slots', async () => {
  const { clock, service, batch } = await prepareScripted({ limit: 100 });
  expect(await clock.until(batch(20, { known: KNOWN }))).toMatchObject({ made: 20 });
  expect(service.mostUnfinished).toBe(KNOWN.slots);
});
