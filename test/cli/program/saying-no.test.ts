import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { exitStatus } from '../../../src/cli/errors/exit.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { typeLine } from '../../support/cli/type-line.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** What is typed for each command that asks before it changes something, with the number of a private skin for UUID. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  'accounts unlink': ['accounts unlink Ann'],
  'accounts wear': ['accounts wear UUID --account Ann', 'accounts wear --restore --account Ann'],
  'moderation delete': ['moderation delete UUID'],
  'players release': ['players release Steve'],
  'sets delete': ['sets delete guards'],
  'sets release': ['sets release guards'],
  'skins delete': ['skins delete UUID'],
  wear: ['wear UUID --as Steve'],
};

function asking(command: Command, path = ''): readonly string[] {
  const isAsking = command.options.some(({ short }) => short === '-y'); // --yes alone answers no question
  const below = command.commands.flatMap((child) => asking(child, `${path} ${child.name()}`.trimStart()));
  return isAsking ? [path, ...below] : below;
}

test('The table of questions lists every command that asks', async () => {
  const all = asking(await buildProgram({ runner: () => async () => {} }));
  expect([...all].sort()).toEqual(Object.keys(LINES).sort());
});

test('After “no”, each command fails, says that nothing was done, and prints nothing', async () => {
  const { fake, server, link } = await runAccountServer({}, { interval: 0.02 });
  await link(fake.addAccount({ name: 'Ann' }));
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), { visibility: 'private' });
  const { url, key } = server;
  const answers = (asked: string) => (asked.includes('[y/N]') ? 'n\n' : undefined);
  const place = { url, key, isTTY: true, answers, flags: { quiet: false } };
  const ended: (readonly [line: string, status: unknown, out: string, said: unknown])[] = [];
  for (const line of Object.values(LINES).flat()) {
    const words = line.replace('UUID', String(body.skin?.uuid)).split(' ');
    const { status, out, err } = await typeLine(words, place);
    ended.push([line, status, out, err.match(/Nothing was \w+\./g)?.length]);
  }
  expect(ended).toEqual(ended.map(([line]) => [line, exitStatus('failed'), '', 1]));
});
