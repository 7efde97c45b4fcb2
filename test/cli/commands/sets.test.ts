import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setsExport } from '../../../src/cli/commands/exports.ts';
import { setsCreate, setsDelete, setsEdit, setsRelease } from '../../../src/cli/commands/sets.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { entriesOf, textOf } from '../../support/batch/lock-entry.ts';
import { contextWith } from '../../support/cli/client-context.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { testClient } from '../../support/client/test-client.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const FIRST = '1'.repeat(32);
const SECOND = '2'.repeat(32);
const SET = {
  ...{ uuid: '9'.repeat(32), name: 'Team', slug: 'team', visibility: 'public', size: 0, skins: [] },
  ...{ createdAt: 0, changedAt: 0 },
};

/** Runs a command against a service that answers so. */
async function run(
  exchanges: readonly Exchange[],
  work: (context: CommandContext) => Promise<unknown>,
  stdin?: string,
) {
  const { client } = await testClient([...exchanges]);
  const desk = contextWith(client, { ...(stdin !== undefined && { stdin, canPrompt: true, errTTY: true }) });
  return { status: await work(desk.context), err: desk.err() };
}

test.each([
  ['delete', setsDelete, 'DELETE /v2/sets/team', 'Nothing was deleted.'],
  ['release', setsRelease, 'DELETE /v2/set-names/team', 'Nothing was released.'],
] as const)('Answering “no” to sets %s does nothing, and fails', async (_name, command, expected, said) => {
  const refused = await run([], async (context) => await command.run('team', {}, context), 'n\n');
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining(said)]);
  const script = [{ expect: expected, json: { success: true } }];
  const agreed = await run(script, async (context) => await command.run('team', {}, context), 'y\n');
  expect(agreed.status).toBe(0);
});

test('Typed UUIDs and the UUIDs of a lockfile go into a set together', async () => {
  const lockfile = join(await ownFolder(), 'skins.lock');
  const [entry] = entriesOf('a.png');
  await writeFile(lockfile, textOf([{ ...entry!, uuid: SECOND }]));
  const json = { success: true, set: SET, skins: [] };
  const script = ['POST /v2/sets', 'PATCH /v2/sets/team'].map((line) => ({ expect: line, json }));
  const { client, server } = await testClient(script);
  const { context } = contextWith(client);
  await setsCreate.run('team', [FIRST], { from: lockfile }, context);
  await setsEdit.run('team', { add: [FIRST], from: lockfile }, context);
  const [created, edited] = server.seen.map(({ body }) => JSON.parse(body.toString()));
  expect([created.skins, edited.add]).toEqual([
    [FIRST, SECOND],
    [FIRST, SECOND],
  ]);
});

test('The file of a set lies in this folder, whatever the set is called', async () => {
  const elsewhere = join(await ownFolder(), 'team');
  await writeFile(`${elsewhere}.zip`, 'of someone else');
  const { client } = await testClient([]);
  const { context } = contextWith(client);
  const settings = async () => await Promise.reject(new Error('It would ask the service now.'));
  const ran = setsExport.run(elsewhere, undefined, {}, { ...context, settings });
  await expect(ran).rejects.toThrow('It would ask the service now.');
});
