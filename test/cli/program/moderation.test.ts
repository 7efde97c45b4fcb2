import { expect, test } from 'vitest';
import {
  moderationBlock,
  moderationBlocked,
  moderationDelete,
  moderationHide,
  moderationLog,
  moderationReplaceName,
  moderationUnblock,
  moderationUnhide,
} from '../../../src/cli/commands/moderation.ts';
import { reportsClose, reportsCreate, reportsList } from '../../../src/cli/commands/reports.ts';
import type { CommandContext, ExitStatus } from '../../../src/cli/context/context.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { typeLine } from '../../support/cli/type-line.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const words = (line: string | undefined) => (line ?? '').trimEnd().split(/ {2,}/);

test('A skin is reported without a key, listed for the operator, hidden, blocked and recorded in the log', async () => {
  const { url, key, anonymous } = await runServer();
  const { body } = await anonymous().upload('/v2/generate', skinPng(1), { name: 'Rude' });
  const [uuid, hash] = [String(body.skin?.uuid), String(body.skin?.texture.hash.skin)];
  const run = async (work: (context: CommandContext) => ExitStatus, more: object = {}) => {
    const { status, out, told } = await runCommand(work, { url, key, ...more });
    expect([status, told]).toEqual([0, undefined]);
    return out;
  };
  await run((context) => reportsCreate.run(uuid, { reason: 'offensive', text: 'look' }, context), {
    key: undefined,
  });
  const [header, first] = (await run((context) => reportsList.run({}, context), { isTTY: true })).split('\n');
  expect(words(header)).toEqual(['ID', 'ABOUT', 'REPORTED', 'STATE', 'REASON', 'TEXT']);
  expect(words(first)).toEqual(['1', uuid, expect.stringMatching(/ago$/), 'public', 'offensive', 'look']);

  expect(await run((context) => moderationHide.run([uuid], { note: 'rude' }, context))).toBe(
    `${uuid}\tprivate\thidden\n`,
  );
  expect(await run((context) => reportsList.run({}, context))).toBe('');
  const closed = await run((context) => reportsClose.run(['1'], {}, context));
  expect(closed.split('\t').slice(0, 3)).toEqual(['1', uuid, 'offensive']);
  const blocked = await run((context) => moderationBlock.run([uuid], { note: 'no' }, context));
  expect(blocked.split('\t')).toEqual([hash, expect.stringMatching(/Z$/), 'owner', 'no', '0\n']);
  expect(await run((context) => moderationBlocked.run({}, context))).toContain(hash);
  await run((context) => moderationUnblock.run([hash], {}, context));
  const log = await run((context) => moderationLog.run({}, context));
  expect(log.split('\n').map((line) => line.split('\t').slice(1).join(' '))).toEqual([
    `owner unblock_image ${hash} `,
    `owner block_image ${hash} no`,
    `owner hide_skin ${uuid} rude`,
    '',
  ]);
});

test('A reported set is hidden, shown, stripped of its name and deleted by its UUID', async () => {
  const { url, key, owner } = await runServer();
  const { uuid = '' } = (await owner.json('/v2/sets', { name: 'Rude Words' })).body.set ?? {};
  const run = async (work: (context: CommandContext) => ExitStatus) => await runCommand(work, { url, key });
  const hidden = await run((context) => moderationHide.run([uuid], { set: true }, context));
  expect(hidden).toMatchObject({ status: 0, out: `${uuid}\tprivate\thidden\n` });
  const shown = await run((context) => moderationUnhide.run([uuid], { set: true }, context));
  expect(shown).toMatchObject({ status: 0, out: `${uuid}\tpublic\t\n` });
  const cleared = await run((context) => moderationReplaceName.run([uuid], { note: 'rude' }, context));
  expect(cleared).toMatchObject({ status: 0, out: `${uuid}\tpublic\t\tSet ${uuid.slice(0, 8)}\n` });
  const deleted = await run((context) => moderationDelete.run([uuid], { set: true, yes: true }, context));
  expect(deleted.status).toBe(0);
  expect((await owner.get(`/v2/sets/${uuid}`)).status).toBe(404);
  const log = await run((context) => moderationLog.run({}, context));
  expect(log.out.split('\n').map((line) => line.split('\t')[2])).toEqual([
    'delete_set',
    'clear_set_name',
    'show_set',
    'hide_set',
    undefined,
  ]);
  expect(log.out).toContain(`\tclear_set_name\t${uuid}\trude\n`);
  const { told } = await run((context) => moderationReplaceName.run(['Rude Words'], {}, context));
  expect(told).toMatchObject({ code: 'not_a_uuid', message: '"Rude Words" is not the UUID of a set.' });
});

test('A text that is neither a UUID nor a hash is named before anything is sent', async () => {
  const { url, key } = await runServer();
  const { told } = await runCommand((context) => moderationBlock.run(['face.png'], {}, context), {
    url,
    key,
  });
  expect(told).toMatchObject({
    code: 'not_an_image',
    message: '"face.png" is neither the hash of a texture nor the UUID of a skin.',
  });
});

test('Empty lists say so on a terminal, and are empty for programs', async () => {
  const { url, key } = await runServer();
  const lists = [
    [(context: CommandContext) => reportsList.run({}, context), 'No open reports.\n'],
    [(context: CommandContext) => moderationBlocked.run({}, context), 'No blocked pictures.\n'],
    [(context: CommandContext) => moderationLog.run({}, context), 'No entries.\n'],
  ] as const;
  for (const [run, note] of lists) {
    expect(await runCommand(run, { url, key, isTTY: true })).toMatchObject({ status: 0, out: '', err: note });
    expect(await runCommand(run, { url, key })).toMatchObject({ status: 0, out: '', err: '' });
  }
});

test('Commands keep their earlier names, which no help shows', async () => {
  const { url, key, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const uuid = String(body.skin?.uuid);
  const shown = await typeLine(['moderation', 'show', uuid, '--json'], { url, key, flags: { json: true } });
  expect(JSON.parse(shown.out)).toEqual([{ uuid, visibility: 'public', hidden: false }]);
  expect(await typeLine(['moderation', 'list'], { url, key })).toMatchObject({ status: 0, out: '' });
  const program = await buildProgram({ runner: () => async () => {} });
  const moderation = program.commands.find((command) => command.name() === 'moderation')!;
  expect(moderation.helpInformation()).not.toMatch(/^ {2}(?:show|clear-name|list)\b/m);
});
