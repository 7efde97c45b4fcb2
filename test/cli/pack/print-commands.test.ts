import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type GenerateCommandOptions, runGenerate } from '../../../src/cli/commands/generate.ts';
import { runPack } from '../../../src/cli/commands/pack.ts';
import { makePicture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { packWorkshop } from '../../support/cli/pack-workshop.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { fill } from '../../support/skin/drawing.ts';

/** A workshop, with a way to print commands: where nothing listens, and no service may start. */
async function printingWorkshop() {
  const workshop = await packWorkshop();
  const print = async (
    { sources = [workshop.skins], format = 'text-object', ...options }: Partial<GenerateCommandOptions> = {},
    flags: { readonly json?: boolean } = {},
  ) =>
    await runCommand(
      async (context) => await runGenerate(sources, { format, recursive: true, ...options }, context),
      { url: 'http://127.0.0.1:9/', flags: { quiet: false, ...flags } },
    );
  return { ...workshop, print };
}

function idsIn(text: string): string[] {
  return [...text.matchAll(/entity\/player\/([^"\\]+)/g)].map(([, id]) => id!);
}

describe('With --pack, commands', () => {
  test('name the skins of a zip, a folder or an index, without a service', async () => {
    const { draw, pack, print, folder, skins, out } = await printingWorkshop();
    await draw('town/guard.png', 1);
    await draw('anna.png', 2);
    await draw('tom.png', 2);
    await draw('Anna.png', 3);
    const other = join(folder, 'pack');
    await pack({ namespace: 'npc' });
    await pack({ namespace: 'npc', out: other });
    const source = join(skins, 'town/guard.png');
    for (const named of [out, other, join(folder, 'pack.skins.json')]) {
      const {
        status,
        out: printed,
        err,
      } = await print({ sources: [source], format: 'mannequin', pack: named });
      expect([status, err, printed]).toEqual([
        0,
        'Paste it into chat, with a slash in front; you must be op.\n',
        'summon mannequin ~ ~ ~ {profile:{texture:"npc:entity/player/town/guard",model:wide},description:{text:"guard"}}\n',
      ]);
    }
    const { skins: indexed } = JSON.parse(await readFile(join(folder, 'pack.skins.json'), 'utf8'));
    const all = await print({ pack: out, namespace: 'npc' });
    expect(idsIn(all.out)).toEqual(indexed.map(({ id }: { id: string }) => id));
    expect(idsIn(all.out)).toHaveLength(4);
    expect(idsIn(all.out)).toEqual(expect.arrayContaining(['tom', 'town/guard']));
  });

  test('are not printed for a source that the pack lacks', async () => {
    const { draw, pack, print, out } = await printingWorkshop();
    await draw('guard.png', 1);
    await pack();
    await draw('new.png', 2);
    const { status, out: printed, err } = await print({ pack: out });
    expect([status, idsIn(printed)]).toEqual([1, ['guard']]);
    expect(err).toMatch(/pack\.zip does not have .*new\.png\./);
    const json = JSON.parse((await print({ pack: out }, { json: true })).out);
    expect(json).toEqual([
      expect.stringContaining('player/guard'),
      expect.objectContaining({ error: expect.objectContaining({ code: 'not_in_pack' }) }),
    ]);
  });

  test('find a picture by its pixels where its path is not known', async () => {
    const { draw, pack, print, folder, out } = await printingWorkshop();
    await draw('guard.png', 1);
    await draw('twin.png', 1);
    await pack();
    const copy = join(folder, 'elsewhere');
    await mkdir(copy);
    await writeFile(join(copy, 'twin.png'), skinPng(1));
    expect(idsIn((await print({ sources: [copy], pack: out })).out)).toEqual(['twin']);
  });

  test.each(['server', 'server.zip'])(
    "name skins put into someone else's pack, which may have several namespaces: %s",
    async (name) => {
      const { draw, print, skins, folder } = await printingWorkshop();
      const into = join(folder, name);
      const meta = Buffer.from('{"pack":{"description":"","min_format":69,"max_format":97}}');
      if (name.endsWith('.zip')) await writeFile(into, zipSync({ 'pack.mcmeta': meta }));
      else {
        await mkdir(into);
        await writeFile(join(into, 'pack.mcmeta'), meta);
      }
      await draw('town/guard.png', 1);
      const put = async (namespace: string) =>
        await runCommand(
          async (context) => await runPack([skins], { into, namespace, recursive: true }, context),
          {},
        );
      expect((await put('npc')).status).toBe(0);
      const sources = [join(skins, 'town/guard.png')];
      expect(idsIn((await print({ sources, pack: into })).out)).toEqual(['town/guard']);
      expect((await put('other')).status).toBe(0);
      expect((await print({ sources, pack: into })).told?.code).toBe('several_namespaces');
      expect((await print({ sources, pack: into, namespace: 'other' })).out).toContain(
        'other:entity/player/town/guard',
      );
    },
  );

  test('have the capes of the pack, and are written to files', async () => {
    const { draw, pack, print, folder, out } = await printingWorkshop();
    const cape = encodePng(
      fill(makePicture(64, 32), { x: 0, y: 0, width: 22, height: 17 }, [200, 0, 0, 255]),
    );
    await draw('guard.png', 1);
    await writeFile(join(folder, 'red.png'), cape);
    await writeFile(join(folder, 'list.csv'), 'source,name,cape\nskins/guard.png,Keeper,red.png\n');
    const from = [join(folder, 'list.csv')];
    await pack({ sources: [], from });
    const made = join(folder, 'made');
    const { status } = await print({
      sources: [join(folder, 'skins/guard.png')],
      pack: out,
      format: 'mannequin',
      out: `${made}/`,
    });
    const file = join(made, 'keeper.mannequin.mcfunction');
    expect([status, await readFile(file, 'utf8')]).toEqual([
      0,
      'summon mannequin ~ ~ ~ {profile:{texture:"skinsmith:entity/player/keeper",cape:"skinsmith:entity/cape/keeper",model:wide},description:{text:"Keeper"}}\n',
    ]);
    const again = {
      sources: [join(folder, 'skins/guard.png')],
      pack: out,
      format: 'mannequin',
      out: `${made}/`,
    };
    expect((await print(again)).status).toBe(0);
    await writeFile(file, 'mine\n');
    expect((await print(again)).told?.code).toBe('output_exists');
  });

  test('show names of lists in any language', async () => {
    const { draw, pack, print, folder, out } = await printingWorkshop();
    const names = ['騎士', 'Señor Pérez', "King's Guard", 'рыцарь/2', 'حارس', '경비'];
    for (const at of names.keys()) await draw(`${at}.png`, at);
    const list = join(folder, 'list.csv');
    await writeFile(list, `source,name\n${names.map((name, at) => `skins/${at}.png,${name}\n`).join('')}`);
    expect((await pack({ sources: [], from: [list] })).status).toBe(0);
    const { out: printed } = await print({ sources: [], from: [list], pack: out, format: 'mannequin' });
    expect([...printed.matchAll(/description:\{text:"(.*?)"/g)].map(([, name]) => name)).toEqual(names);
    expect(idsIn(printed)).toEqual([
      'n-456046',
      'senor_perez',
      'king_s_guard',
      'rytsar_2',
      'hars',
      'gyeongbi',
    ]);
  });

  test('are refused for a namespace that the pack does not have', async () => {
    const { draw, pack, print, out } = await printingWorkshop();
    await draw('guard.png', 1);
    await pack();
    expect((await print({ pack: out, namespace: 'npc' })).told?.code).toBe('other_namespace');
    expect((await print({ pack: `${out}x` })).told?.code).toBe('no_such_pack');
  });
});

describe('Without --pack, commands', () => {
  test('have the ids of a first pack of the same sources, and a warning', async () => {
    const { draw, pack, print, shown, skins } = await printingWorkshop();
    await draw('лекарь.png', 1);
    await draw('Guard.png', 2);
    await draw('guard.png', 3);
    await writeFile(join(skins, 'hd.png'), encodePng(enlarge(drawSkin(4), 2)));
    await writeFile(join(skins, 'broken.png'), 'x');
    const { status, out, err } = await print({ namespace: 'npc' });
    expect([status, idsIn(out)]).toEqual([1, ['guard-c8d3fc', 'guard-a9d403', 'hd', 'lekar']]);
    expect(err).toContain('Without --pack, IDs are guessed from the names of the sources');
    await pack({ namespace: 'npc', ignore: ['hd.png'] });
    expect(Object.keys(await shown())).toEqual(['guard-c8d3fc', 'guard-a9d403', 'lekar']);
  });
});
