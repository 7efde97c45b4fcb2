import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { status } from '../../../src/cli/commands/jobs.ts';
import { skinsGet } from '../../../src/cli/commands/skins.ts';
import { IndexedPack } from '../../../src/cli/pack/pack-skins.ts';
import { contextWith } from '../../support/cli/client-context.ts';
import { packWorkshop } from '../../support/cli/pack-workshop.ts';
import { makeJob, makeSkin } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { testClient } from '../../support/client/test-client.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { webServer } from '../../support/server/web-server.ts';

const UUID = 'a'.repeat(32);
const JOB = makeJob({ status: 'completed', result: UUID });

/** A service with one skin and its job, whose texture lies elsewhere; and a pack of pictures on this machine. */
async function desk(texture: number, name = 'Someone') {
  const workshop = await packWorkshop();
  await workshop.draw('town/guard.png', 1);
  await workshop.draw('anna.png', 2);
  await workshop.draw('tom.png', 2);
  await workshop.pack({ namespace: 'npc' });
  const host = await webServer((_, response) => response.end(skinPng(texture)));
  const url = `${host.url}/texture/0123`;
  const value = Buffer.from(JSON.stringify({ textures: { SKIN: { url } } })).toString('base64');
  const skin = makeSkin({
    uuid: UUID,
    name,
    texture: { data: { value, signature: 'c2ln' }, hash: { skin: '0123' }, url: { skin: url } },
  });
  const ask = async (
    exchange: Exchange,
    run: (context: ReturnType<typeof contextWith>) => Promise<unknown>,
  ) => {
    const { client } = await testClient([exchange]);
    const desk = contextWith(client);
    const settings = async () => ({ format: ['mannequin'] });
    Object.assign(desk.context, { settings, jobSources: { sources: async () => new Map() } });
    return { end: await run(desk), out: desk.out(), err: desk.err() };
  };
  const typed = { format: 'mannequin', pack: workshop.out };
  return {
    ...workshop,
    get: async (pack = workshop.out) =>
      await ask(
        { expect: `GET /v2/skins/${UUID}`, json: { success: true, skin } },
        async ({ context }) => await skinsGet.run([UUID], { ...typed, pack }, context),
      ),
    status: async (pack = workshop.out) =>
      await ask(
        { expect: `GET /v2/queue/${JOB.id}`, json: { success: true, job: JOB, skin } },
        async ({ context }) => await status.run([JOB.id], { ...typed, pack }, context),
      ),
  };
}

const COMMAND = (id: string, name: string) =>
  `summon mannequin ~ ~ ~ {profile:{texture:"npc:entity/player/${id}",model:wide},description:{text:"${name}"}}\n`;

describe.each(['get', 'status'] as const)('With --pack, %s', (command) => {
  test("prints the pack's entry for a skin with the same picture, under its name in the pack", async () => {
    const { [command]: run } = await desk(1);
    const err = 'Paste it into chat, with a slash in front; you must be op.\n';
    expect(await run()).toEqual({ end: 0, out: COMMAND('town/guard', 'guard'), err });
  });

  test('prefers the picture with the name of the skin if several are equal', async () => {
    const { [command]: run } = await desk(2, 'tom');
    expect((await run()).out).toBe(COMMAND('tom', 'tom'));
  });

  test('prints nothing for a skin that the pack lacks, and fails', async () => {
    const { [command]: run } = await desk(3);
    const { end, out, err } = await run();
    expect([end, out]).toEqual([1, '']);
    expect(err).toContain(`pack.zip does not have the skin ${UUID}.`);
  });

  test('knows a skin of a service by its UUID, whatever picture it has', async () => {
    const { [command]: run, folder } = await desk(3);
    const index = JSON.parse(await readFile(join(folder, 'pack.skins.json'), 'utf8'));
    index.skins[0].source = `skin:${UUID}`;
    const other = join(folder, 'other.skins.json');
    await writeFile(other, JSON.stringify(index));
    expect((await run(other)).out).toBe(COMMAND('anna', 'anna'));
  });
});

test('A list gives the commands of its own sources, also where the pack lacks one of them', async () => {
  const { out, skins, draw, pack } = await packWorkshop();
  await draw('anna.png', 1);
  await draw('tom.png', 2);
  await pack();
  await draw('new.png', 3);
  async function* sources() {
    for (const stem of ['anna', 'new', 'tom'])
      yield { content: { kind: 'file', path: join(skins, `${stem}.png`) }, label: stem, stem } as const;
  }
  const known = new IndexedPack(out, undefined);
  const noted = await Array.fromAsync(known.noted(sources()));
  expect(noted.map(({ content }) => content.kind)).toEqual(['file', 'problem', 'file']);
  const skin = { name: 'x', value: '', signature: '' } as Parameters<IndexedPack['lookOf']>[0];
  expect([0, 2].map((at) => known.lookOf(skin, undefined, at).name)).toEqual(['anna', 'tom']);
  expect(() => known.lookOf(skin, undefined, 1)).toThrow(/does not have this skin/);
});
