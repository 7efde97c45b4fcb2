import { describe, expect, test } from 'vitest';
import { keysList, keysRevoke } from '../../../src/cli/commands/keys.ts';
import { usersList } from '../../../src/cli/commands/users.ts';
import type { CommandContext, ExitStatus } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { type Exchange, scriptedServer } from '../../support/client/scripted-server.ts';

describe('A service without an account manager', () => {
  const page = { status: 404, text: '<!doctype html><h1>Not found</h1>' };
  const json = {
    status: 404,
    json: { success: false, errors: [{ code: 'not_found', message: 'Nothing.' }] },
  };
  const landing = { status: 200, text: '<!doctype html><h1>Welcome</h1>' };
  const list = 'GET /v2/account/keys';

  const rows: [
    what: string,
    first: string,
    answer: Omit<Exchange, 'expect'>,
    run: (context: CommandContext) => ExitStatus,
  ][] = [
    ['an HTML page', list, page, (context) => keysList.run({}, context)],
    ['a landing page', list, landing, (context) => keysList.run({}, context)],
    ['JSON', 'DELETE /v2/account/keys/k', json, (context) => keysRevoke.run(['k'], context)],
    ['JSON', 'GET /v2/account/users?size=100', json, (context) => usersList.run({}, context)],
  ];
  test.each(rows)(
    'that answers with %s to %s is reported, with the place of its keys',
    async (_, first, answer, run) => {
      const server = await scriptedServer([
        { expect: first, ...answer },
        { expect: list, ...answer },
      ]);
      const { told, out } = await runCommand(run, { url: server.url, key: 'k'.repeat(64) });
      expect(told).toEqual(
        expect.objectContaining({
          code: 'no_account_api',
          message: `${server.url} cannot manage keys and users.`,
          hint: expect.stringContaining('its account site'),
          exit: 'failed',
        }),
      );
      expect(out).toBe('');
    },
  );

  test('is distinguished from a service that refuses', async () => {
    const errors = [{ code: 'unauthorized', message: 'No.' }];
    const server = await scriptedServer([{ expect: list, status: 401, json: { success: false, errors } }]);
    const { told } = await runCommand((context) => keysList.run({}, context), { url: server.url });
    expect(told).toMatchObject({ code: 'unauthorized', exit: 'notAllowed' });
  });
});
