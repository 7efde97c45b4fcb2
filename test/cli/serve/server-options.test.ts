import { Command } from 'commander';
import { expect, test } from 'vitest';
import { register } from '../../../src/cli/commands/serve.ts';
import type { ServeOptions } from '../../../src/cli/serve/options.ts';
import { serverOptions } from '../../../src/cli/serve/server-options.ts';
import { makeSetup } from '../../support/cli/setup.ts';

/** What the service is started with when these words are typed after `serve`. */
async function startedWith(...argv: string[]) {
  const { context } = await makeSetup();
  const typed: ServeOptions[] = [];
  const command = new Command('serve');
  const runner = async (work: (run: typeof context) => Promise<unknown>) => void (await work(context));
  register(command, runner, async (options) => {
    typed.push(options);
    return 0;
  });
  await command.parseAsync(argv, { from: 'user' });
  return await serverOptions(typed[0] as ServeOptions, context);
}

test.each<[string[], object]>([
  [['--durable'], { durable: true }],
  [['--new-signing-key'], { newSigningKey: true }],
  [['--max-connections', '7'], { networkLimits: { maxConnections: 7 } }],
  [['--max-connections-per-address', '3'], { networkLimits: { maxConnectionsPerAddress: 3 } }],
  [['--requests-per-minute', '9'], { networkLimits: { requestsPerMinute: 9 } }],
  [['--anonymous-per-hour', '5'], { anonymousPerHour: 5 }],
  [['--allow-origin', '*'], { allowedOrigins: ['*'] }],
  [['--max-store', '2'], { maxStoreBytes: 2 * 1024 ** 2 }],
  [['--no-user-accounts'], { userAccounts: false }],
  [['--notice', 'Down on Sunday'], { site: { notice: 'Down on Sunday' } }],
])('The service gets what is typed: %j', async (argv, options) => {
  expect(await startedWith(...argv)).toMatchObject(options);
});

test('What is not typed is left to the service', async () => {
  const { durable, newSigningKey, networkLimits, maxStoreBytes } = await startedWith();
  expect({ durable, newSigningKey, networkLimits, maxStoreBytes }).toEqual({ networkLimits: {} });
});
