import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitStatus } from '../../../src/cli/errors/exit.ts';
import { typeLine } from '../../support/cli/type-line.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const UNKNOWN = '0123456789abcdef0123456789abcdef';

async function desk(options: Parameters<typeof runServer>[0] = {}) {
  const server = await runServer(options);
  const { url, key, owner } = server;
  const type = async (line: string, more: object = {}) =>
    await typeLine(line.split(' '), { url, key, flags: { quiet: false }, ...more });
  const saysNo = { isTTY: true, answers: (asked: string) => (asked.includes('?') ? 'n\n' : undefined) };
  const seen = async (name: string) => (await owner.get(`/v2/players/${name}`)).body.player;
  const importing = async (...lines: readonly string[]) => {
    const file = join(await ownFolder(), 'names.csv');
    await writeFile(file, lines.join('\n'));
    return await type(`players import ${file}`);
  };
  return { server, owner, type, saysNo, seen, importing };
}

test('A private skin is worn after confirmation, with the named cape, or without one after “none”', async () => {
  const { server, owner, type, saysNo, seen } = await desk();
  await addCape(server, 'team');
  const { body } = await owner.upload('/v2/generate?timeout=30', skinPng(1), { visibility: 'private' });
  const line = `wear ${body.skin?.uuid} --as Steve --cape team`;
  expect((await type(line, saysNo)).status).toBe(exitStatus('failed'));
  expect(await seen('Steve')).toBeUndefined();
  expect((await type(`${line} --yes`)).status).toBe(exitStatus('done'));
  expect((await seen('Steve'))?.cape?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect((await type('wear --as Steve --cape none')).status).toBe(exitStatus('done'));
  expect((await seen('Steve'))?.cape).toBeUndefined();
  expect((await type('players release Steve', saysNo)).status).toBe(exitStatus('failed'));
  expect((await seen('Steve'))?.skin).toBeDefined();
});

test('A refused line of a list does not stop the others; a list with a wrong name or column changes nothing', async () => {
  const { owner, seen, importing } = await desk();
  const { uuid } = (await owner.upload('/v2/generate?timeout=30', skinPng(1))).body.skin!;
  const some = await importing('name,skin', `Steve,${uuid}`, `Alex,${UNKNOWN}`, `Zoe,${uuid}`);
  expect([some.status, some.err]).toEqual([
    exitStatus('failed'),
    expect.stringContaining('Imported 2 of 3 names.'),
  ]);
  expect([await seen('Alex'), (await seen('Zoe'))?.name]).toEqual([undefined, 'Zoe']);
  expect((await importing('name,skin', `First,${uuid}`, `a-b,${uuid}`)).told?.code).toBe('not_a_player');
  expect((await importing('name,skin,hat', `First,${uuid},x`)).told?.code).toBe('unusable_list');
  const many = Array.from({ length: 20_001 }, (_, n) => `n${n}`);
  expect((await importing('name', ...many)).told?.code).toBe('unusable_list');
  expect(await seen('First')).toBeUndefined();
});

test('An import ends when the service accepts nothing more', async () => {
  const { importing } = await desk({ maxStoreBytes: 1 });
  expect((await importing('name,user', 'A,owner', 'B,owner')).told?.code).toBe('store_full');
});
