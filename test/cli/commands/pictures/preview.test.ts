import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type PreviewOptions, runPreview } from '../../../../src/cli/commands/pictures.ts';
import { encodePng } from '../../../../src/skin/png/encode.ts';
import { readHeader } from '../../../../src/skin/png/header.ts';
import { enlarge } from '../../../../src/skin/regions.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { runGame } from '../../../support/fake-game/run-game.ts';
import { drawSkin, skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { runServer } from '../../../support/server/running-server.ts';
import { drawFigure } from '../../../support/skin/drawing.ts';

type Typed = PreviewOptions & { readonly source: string };

type Call = Parameters<typeof runCommand>[1];

async function preview({ source, ...options }: Typed, call: Call = {}) {
  return await runCommand(async (context) => await runPreview([source], options, context), call);
}

async function fileOf(bytes: Uint8Array): Promise<string> {
  const file = join(await ownFolder(), 'skin.png');
  await writeFile(file, bytes);
  return file;
}

describe('preview of a file', () => {
  test('prints a row in a pipe, and a picture only when a style is typed', async () => {
    const source = await fileOf(encodePng(drawFigure('slim')));
    expect((await preview({ source })).out).toBe(`${source}\tslim\t64\t64\n`);
    expect((await preview({ source, picture: 'blocks' })).out).toContain('▀');
    expect(JSON.parse((await preview({ source }, { flags: { json: true } })).out)).toEqual({
      source,
      variant: 'slim',
      width: 64,
      height: 64,
    });
  });

  test('is drawn on a terminal, with its path, variant and size', async () => {
    const source = await fileOf(skinPng(1));
    const { out } = await preview({ source, picture: 'blocks', variant: 'slim' }, { isTTY: true });
    expect(out.split('\n')).toHaveLength(16 + 2);
    expect(out).toContain(`${source}  slim, 64×64\n`);
  });

  test('is not drawn where there are no colours', async () => {
    const { told, out } = await preview({ source: await fileOf(skinPng(1)) }, { isTTY: true });
    expect([out, told]).toMatchObject(['', { code: 'no_pictures', exit: 'usage' }]);
  });

  test('in HD is scaled down', async () => {
    const source = await fileOf(encodePng(enlarge(drawFigure('classic'), 8)));
    expect((await preview({ source })).out).toBe(`${source}\tclassic\t64\t64\n`);
  });

  test('is written to a picture that shows the front and the back', async () => {
    const out = join(await ownFolder(), 'views.png');
    const ran = await preview({ source: await fileOf(skinPng(1)), out });
    expect([ran.status, ran.out]).toEqual([0, '']);
    expect(readHeader(await readFile(out))).toMatchObject({ width: 608, height: 576 });
  });

  test.each([
    ['what is no skin', async () => await fileOf(Buffer.from('hello')), 'invalid_image'],
    ['what is not there', async () => './nothing.png', 'no_such_file'],
  ])('is refused for %s', async (_, sourceOf, code) => {
    expect((await preview({ source: await sourceOf() })).told).toMatchObject({ code });
  });
});

describe('preview of a folder', () => {
  test('is shown skin by skin, and a file that is no skin does not stop the others', async () => {
    const folder = await ownFolder();
    for (const n of [1, 3]) await writeFile(join(folder, `${n}.png`), skinPng(n));
    await writeFile(join(folder, '2.png'), 'hello');
    const ran = await preview({ source: folder }, { flags: { quiet: false } });
    expect(ran.status).toBe(1);
    expect(ran.out.split('\n').map((row) => row.split('\t')[0])).toEqual([
      join(folder, '1.png'),
      join(folder, '3.png'),
      '',
    ]);
    expect(ran.err).toContain(join(folder, '2.png'));
  });

  test('without a picture has a hint with an option that exists', async () => {
    const above = await ownFolder();
    await mkdir(join(above, 'below'));
    await writeFile(join(above, 'below/skin.png'), skinPng(1));
    const { status, err } = await preview({ source: above }, { flags: { quiet: false } });
    expect([status, err]).toEqual([1, expect.stringContaining('Use -r ')]);
    expect((await preview({ source: above, recursive: true })).status).toBe(0);
  });

  test('is written to a folder', async () => {
    const [folder, out] = [await ownFolder(), join(await ownFolder(), 'views')];
    for (const n of [1, 2]) await writeFile(join(folder, `${n}.png`), skinPng(n));
    const ran = await preview({ source: folder, out }, { flags: { json: true } });
    expect(JSON.parse(ran.out)).toMatchObject([1, 2].map((n) => ({ file: join(out, `${n}.png`) })));
    expect(readHeader(await readFile(join(out, '2.png')))).toMatchObject({ width: 608, height: 576 });
  });
});

describe('preview of a UUID or name', () => {
  test('shows a skin of the service', async () => {
    const { url, key, owner } = await runServer();
    const { body } = await owner.upload('/v2/generate', skinPng(3), { name: 'smith', variant: 'slim' });
    const ran = await preview({ source: String(body.skin?.uuid) }, { url, key });
    expect(ran.out).toMatch(/^smith\tslim\t/);
  });

  test('shows a player when the service has no such skin', async () => {
    const { url, key } = await runServer();
    const game = await runGame();
    const player = game.addPlayer({ name: 'Steve', skin: { picture: drawSkin(1), variant: 'slim' } });
    const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
    expect((await preview({ source: player.id }, { url, key, env })).out).toBe('Steve\tslim\t64\t64\n');
    expect((await preview({ source: 'Steve' }, { url, key, env })).out).toBe('Steve\tslim\t64\t64\n');
    const unknown = await preview({ source: 'b'.repeat(32) }, { url, key, env });
    expect(unknown.told).toMatchObject({ code: 'no_such_skin', exit: 'failed' });
  });

  test('of a player can be tried again later when Mojang cannot be reached', async () => {
    const { url, key } = await runServer();
    const ran = await preview({ source: 'a'.repeat(32) }, { url, key });
    expect(ran.told).toMatchObject({ code: 'game_unreachable', exit: 'tryLater' });
  });
});
