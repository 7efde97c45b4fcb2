import { expect, test } from 'vitest';
import { freshMachine, type Machine } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { openOwnStore } from '../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../support/server/test-caller.ts';

const QUEUE = '/v2/queue';

/** Fills the store up to the ceiling. */
async function fill({ dataDir }: Machine): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  const big = { hash: 'a'.repeat(64), width: 64, height: 64, png: new Uint8Array(1_000_000), created_at: 0 };
  await db.insertInto('textures').values(big).execute();
}

test('A known picture under new names adds no skins for anonymous callers, or to a full store', async () => {
  const machine = await freshMachine();
  const serving = await machine.serve(['--max-store', '1']);
  const owner = serving.caller();
  const stranger = new TestCaller(serving.url, { dataDir: machine.folder });
  const { uuid } = (await stranger.upload('/v2/generate', skinPng(1), { name: 'first' })).body.skin!;
  for (const name of ['second', 'third']) {
    const { status, body } = await stranger.upload(QUEUE, skinPng(1), { name });
    expect([status, body.skin]).toEqual([200, expect.objectContaining({ uuid, name })]);
  }
  expect((await owner.upload(QUEUE, skinPng(1), { name: 'mine' })).body.skin?.uuid).not.toBe(uuid);
  const names = async () => (await stranger.get('/v2/skins')).body.skins?.map(({ name }) => name);
  expect(await names()).toEqual(['mine', 'first']);

  await fill(machine);
  const jobs = async () => (await stranger.get(QUEUE)).body.jobs?.length;
  const before = await jobs();
  for (const name of ['fourth', 'fifth'])
    expect((await stranger.upload(QUEUE, skinPng(1), { name })).body.skin).toMatchObject({ uuid, name });
  expectRefusal(await owner.upload(QUEUE, skinPng(1), { name: 'mine too' }), 'store_full');
  expect([await jobs(), await names()]).toEqual([before, ['mine', 'first']]);
});
