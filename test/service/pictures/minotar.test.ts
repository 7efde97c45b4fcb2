import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { drawInto } from '../../../src/skin/render/render.ts';
import type { AnyView } from '../../../src/skin/render/views.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const SKIN = drawSkin(3);

async function world() {
  const game = await runGame();
  const server = await runServer({ gameAddresses: game.addresses });
  const { id } = game.addPlayer({ name: 'Notch', skin: { picture: SKIN, variant: 'classic' } });
  return { game, id, get: async (path: string) => await server.anonymous().get(path) };
}

function pixelsOf({ bytes }: Heard) {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, pixels: new Uint8Array(data) };
}

function drawn(view: AnyView, width: number, height: number, overlay = false) {
  return drawInto(SKIN, { view, variant: 'classic', width, height, overlay });
}

/** Each line of the documentation, with an address and what it is answered. `USER` is a name or a UUID. */
const PICTURES: readonly [line: string, path: string, picture: ReturnType<typeof drawn>][] = [
  ['a name or UUID is enough', '/avatar/USER', drawn('face', 180, 180)],
  ['the width comes last', '/avatar/USER/100', drawn('face', 100, 100)],
  ['.png may follow the user', '/avatar/USER.png', drawn('face', 180, 180)],
  ['.png may follow the width', '/avatar/USER/100.png', drawn('face', 100, 100)],
  ['helm: the face with its overlay', '/helm/USER/100.png', drawn('face', 100, 100, true)],
  ['cube: the head over its corner', '/cube/USER/100.png', drawn('head', 100, 100)],
  ['body: the figure from the front', '/body/USER/100.png', drawn('front', 100, 200)],
  ['armor/body: the same with its overlay', '/armor/body/USER/100.png', drawn('front', 100, 200, true)],
  ['bust: its upper half', '/bust/USER/100.png', drawn('upper', 100, 100)],
  ['armor/bust: the same with its overlay', '/armor/bust/USER/100.png', drawn('upper', 100, 100, true)],
  ['helmavatar: the same as helm', '/helmavatar/USER/100.png', drawn('face', 100, 100, true)],
  ['head: the same as cube', '/head/USER/100.png', drawn('head', 100, 100)],
  ['helmhead: the same with its overlay', '/helmhead/USER/100.png', drawn('head', 100, 100, true)],
  ['player: the figure with its overlay', '/player/USER/100.png', drawn('front', 100, 200, true)],
  ['widths are at least 8', '/helm/USER/1', drawn('face', 8, 8, true)],
  ['widths are at most 300', '/helm/USER/5000', drawn('face', 300, 300, true)],
  ['skin: the texture', '/skin/USER', SKIN],
  ['download: the texture as a file', '/download/USER', SKIN],
  ['MC-Heads has a picture of head and figure', '/combo/USER', drawn('bust', 180, 180, true)],
  ['… with its width last', '/combo/USER/64.png', drawn('bust', 64, 64, true)],
  ['Visage has the size first', '/face/256/USER', drawn('face', 256, 256, true)],
  ['… and .png at the end', '/face/96/USER.png', drawn('face', 96, 96, true)],
  ['… or no size', '/face/USER', drawn('face', 180, 180, true)],
  ['… and the head with its overlay', '/head/64/USER', drawn('head', 64, 64, true)],
  ['… and a bust over its corner', '/bust/120/USER', drawn('bust', 120, 120, true)],
  ['… and the figure, by its height', '/full/384/USER', drawn('body', 192, 384, true)],
  ['… also without a size', '/full/USER', drawn('body', 180, 360, true)],
  ['… sizes are at most 512', '/face/9999/USER', drawn('face', 512, 512, true)],
  ['… and the texture', '/skin/64/USER.png', SKIN],
  ['NMSR has the width as a parameter', '/face/USER?width=40', drawn('face', 40, 40, true)],
  ['… also of busts, which are those of Visage', '/bust/USER?width=96', drawn('bust', 96, 96, true)],
  ['… and of figures', '/fullbody/USER?width=100', drawn('body', 100, 200, true)],
  ['… and ignores one that is no number', '/fullbody/USER?width=big', drawn('body', 180, 360, true)],
];

test('every address of the documentation shows what it says', async () => {
  const { get, id } = await world();
  for (const [n, [line, path, picture]] of PICTURES.entries()) {
    for (const user of sampled(['Notch', id], 2, n)) {
      const heard = await get(path.replace('USER', user));
      expect([heard.status, heard.headers['content-type']], line).toEqual([200, 'image/png']);
      expect(pixelsOf(heard), line).toEqual(picture);
      expect(heard.headers['content-disposition'], line).toBe(
        path.startsWith('/download') ? 'attachment; filename="skin.png"' : undefined,
      );
    }
  }
});

describe('users', () => {
  test('with dashes in their UUIDs are found at the address without dashes', async () => {
    const { get, id } = await world();
    const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    for (const [from, to] of [
      [`/avatar/${dashed}`, `/avatar/${id}`],
      [`/armor/bust/${dashed}/64.png`, `/armor/bust/${id}/64`],
      [`/skin/${dashed}`, `/skin/${id}`],
      [`/face/64/${dashed}.png`, `/face/64/${id}`],
      [`/bust/${dashed}?width=96`, `/bust/${id}?width=96`],
    ] as const) {
      const heard = await get(from);
      expect([heard.status, heard.headers['location']]).toEqual([302, to]);
      expect(heard.headers).toMatchObject({
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=3600',
      });
    }
  });

  test('called MHF_Steve and MHF_Alex, or as on Visage, are the default skins, without a request', async () => {
    const { get, game } = await world();
    const [steve, alex] = [await get('/skin/MHF_Steve'), await get('/skin/MHF_Alex')];
    expect(pixelsOf(steve)).toMatchObject({ width: 64, height: 64 });
    expect(steve.bytes).not.toEqual(alex.bytes);
    expect((await get('/skin/X-Alex')).bytes).toEqual(alex.bytes);
    expect(game.calls).toEqual([]);
  });

  test('that do not exist are Steve; users without a skin have the default of their UUID', async () => {
    const { get, game } = await world();
    game.addPlayer({ name: 'Bare', id: '6ab4317889fd490597f60f67d9d76fd9' });
    expect((await get('/skin/Nobody')).bytes).toEqual((await get('/skin/MHF_Steve')).bytes);
    expect((await get('/skin/Bare')).bytes).toEqual((await get('/skin/MHF_Alex')).bytes);
  });

  test.each([
    '/avatar/a-b',
    '/avatar/%C3%A4',
    '/avatar/seventeen_letters',
    '/helm/Notch/big',
    '/helm/Notch/-1',
    '/full/big/Notch',
  ])('and sizes like %s are not found', async (path) => {
    const { get, game } = await world();
    expectRefusal(await get(path), 'not_found');
    expect(game.calls).toEqual([]);
  });

  test('are not shown below /render/body, which the hosted service does not have either', async () => {
    const { get, game, id } = await world();
    expect([(await get(`/render/body/${id}`)).status, game.calls]).toEqual([404, []]);
  });

  test('are Steve while Mojang is down, and no cache keeps that', async () => {
    const { get, game } = await world();
    await game.close();
    const heard = await get('/skin/Notch');
    expect([heard.status, heard.headers['cache-control']]).toEqual([200, 'no-cache, max-age=0']);
    expect(heard.bytes).toEqual((await get('/skin/MHF_Steve')).bytes);
  });
});

test('Players of Bedrock Edition have pictures at the same addresses, with the default skin for those without one', async () => {
  const { game, get } = await world();
  game.geyser.add({ gamertag: 'Some Name', xuid: '2535432196048835', skin: { picture: SKIN } });
  const uuid = '00000000000000000009 01f64f65c7c3'.replace(' ', '');
  for (const user of ['.Some_Name', '.Some_Name.png', 'bedrock:Some%20Name', '2535432196048835', uuid])
    expect(pixelsOf(await get(`/skin/${user}`)), user).toEqual(SKIN);
  expect(pixelsOf(await get('/helm/.Some_Name/64.png'))).toEqual(drawn('face', 64, 64, true));
  for (const user of ['.Some_Name', '2535432196048835', uuid])
    expect(pixelsOf(await get(`/skins/${user}`)), user).toEqual(SKIN);
  expect(game.calls.filter(({ kind }) => kind === 'bedrock_skin')).toHaveLength(1);
  const unknown = await get('/skin/.Nobody');
  expect([unknown.status, unknown.headers['cache-control']]).toEqual([200, 'public, max-age=3600']);
  game.geyser.limit = { seconds: 60, header: 'cache-control' };
  const limited = await get('/skin/.Other');
  expect([limited.status, limited.headers['cache-control']]).toEqual([200, 'no-cache, max-age=0']);
  expect(pixelsOf(await get('/skin/Notch'))).toEqual(SKIN); // the game has its own limits
});
