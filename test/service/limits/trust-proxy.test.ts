import { describe, expect, test } from 'vitest';
import { LogLines } from '../../support/server/log-lines.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** The address that a request with X-Forwarded-For is taken to come from. */
async function addressSeen(trustProxy: string | undefined, forwarded: string, from?: string) {
  const log = new LogLines();
  const options = { logLevel: 'info', logStream: log, logAddresses: 'full' } as const;
  const { anonymous } = await runServer({ ...options, ...(trustProxy && { trustProxy }) });
  await anonymous(from).get('/v2/skins', { 'x-forwarded-for': forwarded });
  const [line] = await poll(
    () => log.events('request'),
    ({ length }) => length > 0,
  );
  return line?.['address'];
}

describe('X-Forwarded-For', () => {
  test.each([
    ['counts for nothing by default', undefined, '192.0.2.1', undefined, '127.0.0.1'],
    ['counts from a trusted proxy', 'loopback', '192.0.2.1', undefined, '192.0.2.1'],
    [
      'counts for its last entry, which the proxy wrote',
      'loopback',
      '198.51.100.1, 192.0.2.1',
      undefined,
      '192.0.2.1',
    ],
    [
      'counts past several trusted proxies',
      '127.0.0.1,192.0.2.0/24',
      '198.51.100.1, 192.0.2.1',
      undefined,
      '198.51.100.1',
    ],
    ['counts for nothing from another address', '127.0.0.9', '192.0.2.1', '127.0.0.8', '127.0.0.8'],
  ])('%s', async (_, trustProxy, forwarded, from, seen) => {
    expect(await addressSeen(trustProxy, forwarded, from)).toBe(seen);
  });

  test('that is no address is not logged', async () => {
    expect(await addressSeen('loopback', 'someone')).toBeUndefined();
  });
});
