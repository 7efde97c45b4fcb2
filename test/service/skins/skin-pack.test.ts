import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { SkinClient } from '../../../src/index.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { toModern } from '../../../src/skin/regions.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';
import { colourAt, drawFigure, fillPart } from '../../support/skin/drawing.ts';

guardAgainstLeaks();

const PATH = '/v2/skins/pack.zip';

async function make(
  { owner }: Pick<ServerUnderTest, 'owner'>,
  png: Uint8Array,
  fields: Record<string, string> = {},
): Promise<string> {
  return String((await owner.upload('/v2/generate', png, fields)).body.skin?.uuid);
}

function filesIn(bytes: Uint8Array): Record<string, Buffer> {
  return Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([path, file]) => [path, Buffer.from(file)]),
  );
}

describe(`GET ${PATH}`, () => {
  test('has the textures of skins for everyone, and its SHA-1 as its tag', async () => {
    const server = await runServer();
    const nobody = new TestCaller(server.url);
    const old = drawFigure('classic', 32);
    const smith = await make(server, skinPng(1), { name: 'The Smith' });
    const unnamed = await make(server, skinPng(2), { visibility: 'unlisted', variant: 'slim' });
    const legacy = await make(server, encodePng(old), { name: 'old' });
    const address = `${PATH}?ids=${[smith, unnamed, legacy, smith].join()}&namespace=npc`;
    const { status, headers, bytes } = await nobody.get(address);
    const sha1 = hash('sha1', bytes);
    expect([status, headers]).toMatchObject([
      200,
      {
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="pack.zip"',
        'cache-control': 'public, no-cache',
        etag: `"${sha1}"`,
      },
    ]);
    const files = filesIn(bytes);
    const folder = 'assets/npc/textures/entity/player';
    expect(Object.keys(files)).toEqual([
      'pack.mcmeta',
      `${folder}/the_smith.png`,
      `${folder}/${unnamed}.png`,
      `${folder}/old.png`,
      'skins.json',
    ]);
    expect(pixelHash(decodePng(files[`${folder}/the_smith.png`]!))).toBe(pixelHash(drawSkin(1)));
    expect(pixelHash(decodePng(files[`${folder}/old.png`]!))).toBe(pixelHash(toModern(old)));
    expect(JSON.parse(String(files['skins.json'])).skins).toMatchObject([
      { source: smith, id: 'the_smith', variant: 'classic', texture: 'npc:entity/player/the_smith' },
      { source: unnamed, id: unnamed, variant: 'slim' },
      { source: legacy },
    ]);
    const again = await nobody.get(address, { 'if-none-match': `"${sha1}"` });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test('shows see-through base layers opaque, as Minecraft shows the same skins when it downloads them', async () => {
    const server = await runServer();
    const ghost = fillPart(drawFigure('classic'), 'body', 'classic', [200, 10, 20, 90]);
    const uuid = await make(server, encodePng(ghost), { name: 'ghost' });
    const files = filesIn((await server.owner.get(`${PATH}?ids=${uuid}`)).bytes);
    const drawn = decodePng(files['assets/skinsmith/textures/entity/player/ghost.png']!);
    expect(colourAt(drawn, 20, 20)).toEqual([200, 10, 20, 255]);
    expect(JSON.parse(String(files['skins.json'])).skins[0].pixels).toBe(pixelHash(ghost));
  });

  test('stays the same while its skins do, and changes when they change', async () => {
    const server = await runServer();
    const uuid = await make(server, skinPng(1), { name: 'a' });
    await make(server, skinPng(2), { name: 'b' });
    const client = new SkinClient({ baseUrl: server.url });
    const bytes = await buffer(client.skinPack([uuid.slice(0, 8)], { namespace: 'npc', game: '26.1' }));
    const address = `${PATH}?ids=${uuid}&namespace=npc&game=26.1`;
    expect((await server.owner.get(address)).bytes).toEqual(bytes);
    expect(JSON.parse(String(filesIn(bytes)['pack.mcmeta'])).pack).toMatchObject({
      min_format: 84,
      max_format: 84,
    });
    await server.owner.patch(`/v2/skins/${uuid}`, { name: 'c' });
    const { headers } = await server.owner.get(address);
    expect(headers['etag']).not.toBe(`"${hash('sha1', bytes)}"`);
  });

  test('has a private skin for its owner only', async () => {
    const server = await runServer();
    const uuid = await make(server, skinPng(1), { visibility: 'private' });
    const { status, headers } = await server.owner.get(`${PATH}?ids=${uuid}`);
    expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache']);
    for (const id of [uuid, uuid.slice(0, 8), '0'.repeat(32)]) {
      const refused = await new TestCaller(server.url).get(`${PATH}?ids=${id}`);
      expectRefusal(refused, 'skin_not_found', 404);
      expect(refused.body.errors?.[0]?.message).toContain(id);
    }
  });

  const TOO_MANY = Array.from({ length: 501 }, () => 'ffffffff').join();
  test.each([
    ['no skins', '', 'ids'],
    ['an empty list', '?ids=', 'ids'],
    ['what is no UUID', '?ids=nothing', 'ids'],
    ['too many skins', `?ids=${TOO_MANY}`, 'at most 500'],
    ["the game's namespace", '?ids=ffffffff&namespace=minecraft', "Minecraft's own"],
    ['an illegal namespace', '?ids=ffffffff&namespace=A', 'namespace'],
    ['an old game', '?ids=ffffffff&game=1.8', 'takes no skins from resource packs'],
    ['an unknown parameter', '?ids=ffffffff&games=26.1', 'games'],
  ])('refuses %s', async (_name, query, problem) => {
    const server = await runServer({ workers: 0 });
    const refused = await new TestCaller(server.url).get(PATH + query);
    expectRefusal(refused, 'validation_error', 400);
    expect(JSON.stringify(refused.body.errors)).toContain(problem);
  });
});
