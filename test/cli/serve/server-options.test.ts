import { Command } from 'commander';
import { expect, test } from 'vitest';
import { serve } from '../../../src/cli/commands/serve.ts';
import type { ServeOptions } from '../../../src/cli/serve/options.ts';
import { serverOptions } from '../../../src/cli/serve/server-options.ts';
import { makeSetup } from '../../support/cli/setup.ts';

/** What the service is started with when these words are typed after `serve`. */
async function startedWith(...argv: string[]) {
  const { context } = await makeSetup();
  const command = new Command('serve');
  serve.declare(command);
  command.action(() => {});
  await command.parseAsync(argv, { from: 'user' });
  return await serverOptions(command.opts<ServeOptions>(), context);
}

test.each<[string[], object]>([
  [['--durable'], { durable: true }],
  [['--new-signing-key'], { newSigningKey: true }],
  [['--max-connections', '7'], { networkLimits: { maxConnections: 7 } }],
  [['--max-connections-per-address', '3'], { networkLimits: { maxConnectionsPerAddress: 3 } }],
  [['--requests-per-minute', '9'], { networkLimits: { requestsPerMinute: 9 } }],
  [['--joins-per-minute', '60'], { joinsPerMinute: 60 }],
  [['--anonymous-per-hour', '5'], { anonymousPerHour: 5 }],
  [['--allow-origin', '*'], { allowedOrigins: ['*'] }],
  [['--max-store', '2'], { maxStoreBytes: 2 * 1024 ** 2 }],
  [['--no-user-accounts'], { userAccounts: false }],
  [['--notice', 'Down on Sunday'], { site: { notice: 'Down on Sunday' } }],
])('The service starts with the typed option: %j', async (argv, options) => {
  expect(await startedWith(...argv)).toMatchObject(options);
});

test('An option that is not typed is left to the service', async () => {
  const { durable, newSigningKey, networkLimits, maxStoreBytes } = await startedWith();
  expect({ durable, newSigningKey, networkLimits, maxStoreBytes }).toEqual({ networkLimits: {} });
});
