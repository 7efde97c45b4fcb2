import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RenderCommandOptions, runRender } from '../../../../src/cli/commands/pictures.ts';
import { decodePng } from '../../../../src/skin/png/decode.ts';
import { encodePng } from '../../../../src/skin/png/encode.ts';
import { readHeader } from '../../../../src/skin/png/header.ts';
import { drawView } from '../../../../src/skin/render/render.ts';
import { VIEWS } from '../../../../src/skin/render/views.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { runGame } from '../../../support/fake-game/run-game.ts';
import { capePng } from '../../../support/server/drawn-capes.ts';
import { drawSkin, skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { runServer } from '../../../support/server/running-server.ts';
import { drawFigure } from '../../../support/skin/drawing.ts';

type Typed = RenderCommandOptions & { readonly source: string };

type Call = Parameters<typeof runCommand>[1];

async function render({ source, ...options }: Typed, call: Call = {}) {
  return await runCommand(async (context) => await runRender([source], options, context), call);
}

async function fileOf(bytes: Uint8Array, name = 'skin.png'): Promise<string> {
  const file = join(await ownFolder(), name);
  await writeFile(file, bytes);
  return file;
}

async function target(): Promise<string> {
  return join(await ownFolder(), 'render.png');
}

async function sizeOf(file: string): Promise<[number, number]> {
  const { width, height } = readHeader(await readFile(file));
  return [width, height];
}

type Refused = [what: string, optionsOf: () => Promise<Partial<Typed>>, code: string];

describe('render of a file', () => {
  test.each(VIEWS)('is drawn as %s', async (view) => {
    const out = await target();
    const ran = await render({ source: await fileOf(skinPng(1)), view, size: 64, out });
    expect([ran.status, ran.out]).toEqual([0, '']);
    const isSquare = ['face', 'head', 'bust'].includes(view);
    expect(await sizeOf(out)).toEqual([isSquare ? 64 : 32, 64]);
  });

  test('is drawn as a body of 512 pixels unless told otherwise', async () => {
    const source = await fileOf(encodePng(drawFigure('slim')));
    const out = await target();
    const { out: printed } = await render({ source, out }, { flags: { json: true } });
    expect(JSON.parse(printed)).toEqual({
      source,
      view: 'body',
      variant: 'slim',
      width: 256,
      height: 512,
      file: out,
    });
    expect(await sizeOf(out)).toEqual([256, 512]);
  });

  test('has the pixels that the renderer draws, overlay, variant and cape included', async () => {
    const skin = skinPng(1);
    const cape = capePng(7);
    const out = await target();
    await render({
      source: await fileOf(skin),
      view: 'face',
      size: 64,
      overlay: false,
      variant: 'slim',
      out,
    });
    const face = drawView(decodePng(skin), { view: 'face', variant: 'slim', size: 64, overlay: false });
    expect(decodePng(await readFile(out))).toEqual(face);
    await render({
      source: await fileOf(skin),
      view: 'back',
      size: 64,
      cape: await fileOf(cape, 'cape.png'),
      out,
    });
    const bare = await target();
    await render({ source: await fileOf(skin), view: 'back', size: 64, out: bare });
    expect(await readFile(out)).not.toEqual(await readFile(bare));
  });

  test('goes to stdout for -', async () => {
    const ran = await render({ source: await fileOf(skinPng(1)), view: 'head', size: 32, out: '-' });
    expect(readHeader(Buffer.from(ran.out, 'latin1'))).toMatchObject({ width: 32, height: 32 });
    expect(ran.err).toBe('');
  });

  test.each([
    ['to a terminal', { isTTY: true }, 'picture_on_terminal'],
    ['together with a JSON document', { flags: { json: true } }, 'stdout_taken'],
  ])('is not written to stdout %s', async (_, call, code) => {
    const ran = await render({ source: await fileOf(skinPng(1)), out: '-' }, call);
    expect([ran.out, ran.told]).toMatchObject(['', { code, exit: 'usage' }]);
  });

  test.each([
    [
      'a source that is no skin',
      async () => ({ source: await fileOf(Buffer.from('hello')) }),
      'invalid_image',
    ],
    ['a folder into one file', async () => ({ source: 'examples' }), 'one_file_many_sources'],
    ['a folder to stdout', async () => ({ source: 'examples', out: '-' }), 'one_file_many_sources'],
    [
      'a cape from the front',
      async () => ({ view: 'front', cape: await fileOf(capePng(1)) }),
      'cape_not_shown',
    ],
    [
      'a cape that is no cape',
      async () => ({ view: 'back', cape: await fileOf(skinPng(1)) }),
      'invalid_image',
    ],
    ['a cape that is not there', async () => ({ view: 'back', cape: './nothing.png' }), 'no_such_file'],
  ] satisfies readonly Refused[])('is refused: %s', async (_, optionsOf, code) => {
    const options: Typed = {
      source: await fileOf(skinPng(1)),
      out: await target(),
      ...(await optionsOf()),
    };
    const { told } = await render(options);
    expect(told).toMatchObject({ code });
    expect(told?.hint).toBeTruthy();
  });
});

test('every skin of a folder is drawn into another folder', async () => {
  const [folder, out] = [await ownFolder(), join(await ownFolder(), 'faces')];
  for (const n of [1, 2]) await writeFile(join(folder, `${n}.png`), skinPng(n));
  const ran = await render({ source: folder, view: 'face', size: 8, out }, { flags: { quiet: false } });
  expect([ran.status, ran.out, ran.err]).toEqual([0, '', expect.stringContaining('Wrote 2 pictures to')]);
  for (const n of [1, 2]) expect(await sizeOf(join(out, `${n}.png`))).toEqual([8, 8]);
});

test('a player is found by name, with the arms of its profile', async () => {
  const { url, key } = await runServer();
  const game = await runGame();
  game.addPlayer({ name: 'Steve', skin: { picture: drawSkin(1), variant: 'slim' } });
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const out = await target();
  const ran = await render({ source: 'Steve', out }, { url, key, env, flags: { json: true } });
  expect(JSON.parse(ran.out)).toMatchObject({ source: 'Steve', variant: 'slim' });
});
