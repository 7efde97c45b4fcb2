import { join } from 'node:path';
import { execa } from 'execa';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openGame } from '../../../src/game/game.ts';
import { uploadSkin } from '../../../src/game/skins.ts';
import { gameErrorOf } from '../game/told.ts';
import { skinPng } from '../server/drawn-skins.ts';

test("The imitation of Mojang's services, run as a program, prints its address, takes commands and reports its calls", async () => {
  const options = { accounts: 2, signingKeyPath: inject('signingKeyPath') };
  const program = execa('node', [join(import.meta.dirname, 'main.ts'), JSON.stringify(options)]);
  onTestFinished(() => void program.kill());
  const { value } = await program[Symbol.asyncIterator]().next();
  const { url, addresses, accounts } = JSON.parse(String(value));
  const game = openGame({ addresses });
  onTestFinished(async () => await game.close());
  const tell = async (what: string, body: object) =>
    await fetch(`${url}/_fake/${what}`, { method: 'POST', body: JSON.stringify(body) });
  await tell('order', { fault: { kind: 'bad_image' }, account: accounts[1].id });
  const upload = { png: skinPng(1), variant: 'slim' } as const;
  await uploadSkin(game.http, accounts[0].token, upload);
  expect((await gameErrorOf(uploadSkin(game.http, accounts[1].token, upload))).kind).toBe('bad_image');
  const calls = (await (await fetch(`${url}/_fake/calls`)).json()) as object[];
  expect(calls).toMatchObject([
    { kind: 'skin_upload', account: accounts[0].id, status: 200 },
    { kind: 'skin_upload', account: accounts[1].id, status: 400, fault: 'bad_image' },
  ]);
  program.kill('SIGTERM');
  expect((await program).exitCode).toBe(0);
});
