import { describe, expect, test } from 'vitest';
import { runWhoami, whoami } from '../../../../src/cli/commands/login.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../../support/server/running-server.ts';
import { TestCaller } from '../../../support/server/test-caller.ts';

const nothingAfter = { taken: [[[]]], refused: [[['x'], /too many arguments/]] } as const;

describeParsing('whoami', whoami, nothingAfter);

guardAgainstLeaks();

describe('whoami', () => {
  test('says how many generations and slots are used and left', async () => {
    const { url, owner } = await runServer({ workers: 0 });
    const { body } = await owner.json('/v2/account/keys', { user: 'bob' });
    const at = { url, key: body.key?.secret };
    const bob = new TestCaller(url, { key: at.key });
    await bob.upload('/v2/queue', skinPng(1));
    await bob.upload('/v2/queue', skinPng(2));
    const json = JSON.parse((await runCommand(runWhoami, { ...at, flags: { json: true } })).out);
    expect(json).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'bob',
      plan: 'free',
      limits: { queue: 5, perMinute: 60, perHour: 1500 },
      used: { queue: 2, minute: 2, hour: 2 },
      left: { queue: 3, minute: 58, hour: 1498 },
      service: url,
    });
    const rows = (await runCommand(runWhoami, at)).out.split('\n');
    expect(rows.slice(2, 6)).toEqual([
      'plan\tfree',
      'queue\t2 of 5, 3 left',
      'per minute\t2 of 60, 58 left',
      'per hour\t2 of 1500, 1498 left',
    ]);
  });

  test('shows people no limits of the embedded service, and programs all of them', async () => {
    const shown = (await runCommand(runWhoami, { isTTY: true })).out.split('\n');
    expect(shown.slice(1)).toEqual([
      'name        owner',
      'plan        owner',
      'limits      none in practice',
      'service     embedded',
      '',
    ]);
    expect((await runCommand(runWhoami, {})).out).toMatch(/^queue\t0 of 10000, 10000 left$/m);
  });
});
