import { expect, test } from 'vitest';
import { skinsList } from '../../../../src/cli/commands/skins.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../../support/server/running-server.ts';

guardAgainstLeaks();

test("skins list shows the service's count, and no note if nothing is left out", async () => {
  const { url, key, owner } = await runServer();
  for (const number of [1, 2, 3]) await owner.upload('/v2/generate', skinPng(number));
  const list = async (limit: number) =>
    await runCommand((context) => skinsList.run({ limit }, context), { url, key, flags: { quiet: false } });
  expect((await list(2)).err).toBe('Showing 2 of 3 skins. To list all of them: --all\n');
  expect((await list(3)).err).toBe('');
});

test('skins list --all lists all skins, without a limit', async () => {
  const { url, key, owner } = await runServer();
  for (let number = 1; number <= 31; number++) await owner.upload('/v2/generate', skinPng(number));
  const list = async (typed: { all?: boolean }) =>
    await runCommand((context) => skinsList.run(typed, context), { url, key, flags: { quiet: false } });
  const lines = ({ out }: { out: string }) => out.trimEnd().split('\n').length;
  expect([lines(await list({})), lines(await list({ all: true }))]).toEqual([30, 31]);
});

describeParsing('skins list', skinsList, {
  taken: [
    [[], {}],
    [['--public', '--filter', 'my skin', '--limit', '200'], { public: true, filter: 'my skin', limit: 200 }],
  ],
  refused: [
    [['--all', '--limit', '2'], /cannot be used with/],
    [['--limit', '0'], /whole number, 1 or more/],
    [['x'], /too many arguments/],
  ],
});
