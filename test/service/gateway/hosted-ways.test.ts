import { expect, test } from 'vitest';
import { runHosted } from '../../support/hosted/run-hosted.ts';
import { numbers, push, runGateway } from '../../support/server/gateway.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { poll } from '../../support/server/poll.ts';

const SWITCHED_OFF = 'Skin generation is off until Monday.';

test('A gateway logs at once why generation is switched off upstream, and does not report an outage', async () => {
  const hosted = await runHosted({ flags: { blockGeneration: SWITCHED_OFF } });
  const log = new LogLines();
  const gateway = await runGateway(hosted, { logLevel: 'warn', logStream: log });
  await push(gateway.owner, numbers(0, 3));
  await poll(
    () => hosted.records.requests.submit ?? 0,
    (submits) => submits >= 4,
  );
  expect(log.text).toContain(SWITCHED_OFF);
  expect(log.text).not.toContain('is unavailable');
  expect(hosted.records.requests.list ?? 0).toBeLessThan(20);
});
