import { expect, test } from 'vitest';
import { setsNames, setsRelease } from '../../../src/cli/commands/sets.ts';
import type { CommandContext, ExitStatus } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { runServer } from '../../support/server/running-server.ts';

test('The names of a deleted set are listed, and released after confirmation', async () => {
  const { url, key, owner } = await runServer();
  const { uuid } = (await owner.json('/v2/sets', { name: 'Guards' })).body.set!;
  await owner.patch(`/v2/sets/${uuid}`, { name: 'Sentries' });
  const run = async (work: (context: CommandContext) => ExitStatus) => await runCommand(work, { url, key });
  const list = async () => (await run((context) => setsNames.run(context))).out;
  expect(await list()).toBe(`guards\t${uuid}\n`);
  await owner.send('DELETE', `/v2/sets/${uuid}`);
  expect(await list()).toBe('guards\t\nsentries\t\n');
  const asked = await run((context) => setsRelease.run('guards', {}, context));
  expect(asked.told).toMatchObject({ code: 'cannot_ask' });
  const released = await run((context) => setsRelease.run('guards', { yes: true }, context));
  expect(released.status).toBe(0);
  expect(await list()).toBe('sentries\t\n');
  const again = await run((context) => setsRelease.run('guards', { yes: true }, context));
  expect(again.told).toMatchObject({ message: 'The name guards is not reserved for you.' });
});
