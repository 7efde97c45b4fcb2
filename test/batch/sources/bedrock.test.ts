import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { isSingle } from '../../../src/batch/sources/arguments.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { allOf, folderOf, problemOf, rootsIn, spec } from '../../support/batch/read-sources.ts';
import { sampled } from '../../support/setup/extent.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

const PNG = encodePng(drawFigure('slim'));
const MANIFEST = JSON.stringify({
  format_version: 1,
  header: { name: 'pack.name', uuid: '0', version: [1, 0, 0] },
  modules: [{ type: 'skin_pack', uuid: '1', version: [1, 0, 0] }],
});
const SKINS = [
  { localization_name: 'Knight', geometry: 'geometry.humanoid.custom', texture: 'knight.png', type: 'free' },
  {
    localization_name: 'ranger',
    geometry: 'geometry.humanoid.customSlim',
    texture: 'a/ranger.png',
    cape: 'cape.png',
  },
  { localization_name: 'Dragon', geometry: 'geometry.dragon', texture: 'knight.png', type: 'free' },
  { localization_name: 'Made', geometry: 'geometry.humanoid.custom', texture: 'knight.png', type: 'persona' },
  { localization_name: 'Out', geometry: 'geometry.humanoid.custom', texture: '../secret.png' },
  { localization_name: 'Gone', geometry: 'geometry.humanoid.custom', texture: 'gone.png' },
];
/** With a comment and a trailing part as editors write them. */
const JSON_TEXT = `// my pack\n${JSON.stringify({ serialize_name: 'P', localization_name: 'P', skins: SKINS }, undefined, 2)}`;
const LANG =
  '\uFEFFskinpack.P=My Pack\nskin.P.ranger=Ranger of the // North\t## a note\nskin.Q.Knight=Other\n';
const FILES: Readonly<Record<string, Buffer>> = {
  'manifest.json': Buffer.from(MANIFEST),
  'skins.json': Buffer.from(JSON_TEXT),
  'texts/en_US.lang': Buffer.from(LANG),
  'geometry.json': Buffer.from('{"format_version": "1.8.0", "geometry.dragon": {"bones": []}}'),
  'knight.png': PNG,
  'a/ranger.png': PNG,
  'cape.png': PNG,
};

const zipOf = (files: Readonly<Record<string, Uint8Array>>, above = '') =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [above + name, bytes]))),
  );
const under = (folder: string) =>
  Object.fromEntries(Object.entries(FILES).map(([name, bytes]) => [`${folder}/${name}`, bytes]));

async function packProblem(files: Readonly<Record<string, Uint8Array>>) {
  const cwd = await folderOf({ 'p.mcpack': zipOf(files) });
  const sources = await allOf({ args: ['p.mcpack'] }, rootsIn(cwd));
  expect(sources).toHaveLength(1);
  return problemOf(sources[0]!);
}

describe('A skin pack of Bedrock Edition', () => {
  test.each([
    ['a folder', under('p'), 'p'],
    ['a zip', { 'p.mcpack': zipOf(FILES) }, 'p.mcpack'],
    ['a zip with a folder in it', { 'p.zip': zipOf(FILES, 'My Pack/') }, 'p.zip'],
  ])('has its skins as sources, with their names and arms: %s', async (_, files, arg) => {
    const cwd = await folderOf({ ...files, 'secret.png': PNG });
    const sources = await allOf({ args: [arg], fit: true }, rootsIn(cwd));
    const seen = sources.map(({ label, variant, content }) => [
      label,
      variant,
      content.kind === 'problem' ? content.problem.message.replace(/^.*?: /, '') : 'fit' in content,
    ]);
    expect(seen).toEqual([
      [`${arg}:Knight`, 'classic', true],
      [`${arg}:Ranger of the // North`, 'slim', true],
      [
        `${arg}:Dragon`,
        undefined,
        expect.stringContaining('the geometry geometry.dragon is a shape of its own'),
      ],
      [`${arg}:Made`, undefined, expect.stringContaining('a persona is put together')],
      [`${arg}:Out`, 'classic', 'its picture ../secret.png is outside of the pack.'],
      [`${arg}:Gone`, 'classic', 'gone.png is not in the pack.'],
    ]);
    expect(sources[1]).toMatchObject({ stem: 'Ranger of the __ North', cape: { kind: expect.any(String) } });
    expect(await isSingle(spec({ args: [arg] }), rootsIn(cwd))).toBe(false);
  });

  test('is read in the form in which another program packs it', async () => {
    const cwd = await folderOf(under('p'));
    const python = `import zipfile,os\nz=zipfile.ZipFile('q.mcpack','w',zipfile.ZIP_DEFLATED)\n
for d,_,n in os.walk('p'):\n  for f in n: z.write(os.path.join(d,f),os.path.relpath(os.path.join(d,f),'p'))\nz.close()`;
    execFileSync('python3', ['-c', python], { cwd });
    const sources = await allOf({ args: ['q.mcpack'] }, rootsIn(cwd));
    expect(sources.slice(0, 2).map(({ content }) => content)).toEqual([
      { kind: 'bytes', bytes: new Uint8Array(PNG) },
      { kind: 'bytes', bytes: new Uint8Array(PNG) },
    ]);
  });

  test('may not have links that lead out of it', async () => {
    const cwd = await folderOf({ ...under('p'), 'secret.png': PNG });
    symlinkSync(join(cwd, 'secret.png'), join(cwd, 'p/gone.png'));
    const sources = await allOf({ args: ['p'] }, rootsIn(cwd));
    expect(problemOf(sources[5]!)?.message).toContain('leads out of the pack');
  });

  test.each([
    ['no manifest.json', { 'skins.json': FILES['skins.json']! }, /it has no manifest.json/],
    ['no skins.json', { 'manifest.json': FILES['manifest.json']! }, /it has no skins.json/],
    [
      'another kind of pack',
      { ...FILES, 'manifest.json': Buffer.from('{"modules":[{"type":"resources"}]}') },
      /says resources/,
    ],
    [
      'a persona',
      { ...FILES, 'manifest.json': Buffer.from('{"modules":[{"type":"persona_piece"}]}') },
      /says persona_piece/,
    ],
    ['damaged JSON', { ...FILES, 'skins.json': Buffer.from('{') }, /skins.json that is not JSON: line 1\.$/],
    [
      'damaged JSON in its third line, below a comment',
      { ...FILES, 'skins.json': Buffer.from('{ /* a\n b */\n "skins": [}') },
      /skins.json that is not JSON: line 3\.$/,
    ],
    ['no skins', { ...FILES, 'skins.json': Buffer.from('{}') }, /no skins/],
    [
      'a bomb of text',
      { ...FILES, 'skins.json': Buffer.alloc(4_500_000, 32) },
      /skins.json that is too large/,
    ],
  ])('with %s is reported by its name', async (_, files, message) => {
    expect(await packProblem(files)).toMatchObject({
      code: 'invalid_skin_pack',
      message: expect.stringMatching(message),
    });
  });

  test('does no harm with a decompression bomb or too many files', async () => {
    const cwd = await folderOf({
      'bomb.mcpack': zipOf({ ...FILES, 'knight.png': Buffer.alloc(8_500_000) }),
      'garbage.mcpack': Buffer.alloc(100, 7),
      'cut.mcpack': zipOf(FILES).subarray(0, 900),
    });
    const bomb = await allOf({ args: ['bomb.mcpack'] }, rootsIn(cwd));
    expect(problemOf(bomb[0]!)?.message).toContain('knight.png that is too large');
    expect(bomb[1]?.content.kind).toBe('bytes');
    for (const name of ['garbage.mcpack', 'cut.mcpack']) {
      const [source] = await allOf({ args: [name] }, rootsIn(cwd));
      expect(problemOf(source!)?.message).toBe(`${name} is not a zip archive, or its end is missing.`);
    }
    const many = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, index) => [`${index}`, new Uint8Array()]),
    );
    await writeFile(join(cwd, 'many.mcpack'), zipSync(many, { level: 0 }));
    const [source] = await allOf({ args: ['many.mcpack'] }, rootsIn(cwd));
    expect(problemOf(source!)?.message).toContain('more than 10000 files');
  });

  test('that declares a smaller size than it has is read no further', async () => {
    const zip = zipOf({ ...FILES, 'knight.png': Buffer.alloc(500_000) });
    const at = zip.lastIndexOf(Buffer.from('knight.png')) - 46;
    zip.writeUInt32LE(10, at + 24); // its uncompressed size in the directory
    const cwd = await folderOf({ 'p.mcpack': zip });
    const [first] = await allOf({ args: ['p.mcpack'] }, rootsIn(cwd));
    expect(problemOf(first!)?.message).toContain('knight.png that is damaged');
  });

  test('that has two files of one name is refused', async () => {
    const zip = zipOf({ ...FILES, 'skins.jsom': Buffer.alloc(1_000_000) });
    const twice = Buffer.from(zip.toString('latin1').replaceAll('skins.jsom', 'skins.json'), 'latin1');
    const cwd = await folderOf({ 'p.mcpack': twice });
    const [source, ...others] = await allOf({ args: ['p.mcpack'] }, rootsIn(cwd));
    expect([problemOf(source!)?.message, others]).toEqual([
      'p.mcpack has two files of one name: skins.json and skins.json.',
      [],
    ]);
  });

  test('is read in one pass even if its JSON or names look like endless comments', async () => {
    const size = 200_000; // twice as much of any took four times as long
    const texts = ['"\\"', '/*', '"', '//', '/', '/**/"'].map((part) => part.repeat(size));
    for (const text of sampled(texts, 2, 1))
      expect(await packProblem({ ...FILES, 'manifest.json': Buffer.from(text) })).toMatchObject({
        message: 'p.mcpack has a manifest.json that is not JSON.',
      });
    const lang = `skin.P.ranger=${'\t'.repeat(size)}Ranger## a note\n`;
    const cwd = await folderOf({ 'p.mcpack': zipOf({ ...FILES, 'texts/en_US.lang': Buffer.from(lang) }) });
    expect((await allOf({ args: ['p.mcpack'] }, rootsIn(cwd)))[1]?.label).toBe('p.mcpack:Ranger');
  });

  test('may have both kinds of comments, and strings that look like comments', async () => {
    const text = `/* "a */ {"modules": [ // "b\n {"type": "skin_pack", "x": "// \\" /* \\\\"}/**/]}// end`;
    const cwd = await folderOf({ 'p.mcpack': zipOf({ ...FILES, 'manifest.json': Buffer.from(text) }) });
    expect(await allOf({ args: ['p.mcpack'] }, rootsIn(cwd))).toHaveLength(SKINS.length);
  });

  test('with a damaged picture keeps the other skins, and treats names such as constructor as missing pictures', async () => {
    const zip = zipOf(FILES);
    const at = zip.indexOf(Buffer.from('knight.png')) + 'knight.png'.length;
    zip.fill(0xff, at, at + 30);
    const skins = [
      ...SKINS,
      { localization_name: 'Odd', geometry: 'geometry.humanoid', texture: 'constructor' },
    ];
    const odd = zipOf({ ...FILES, 'skins.json': Buffer.from(JSON.stringify({ skins })) });
    const cwd = await folderOf({ 'p.mcpack': zip, 'odd.mcpack': odd });
    const [knight, ranger] = await allOf({ args: ['p.mcpack'] }, rootsIn(cwd));
    expect(problemOf(knight!)?.message).toContain('knight.png that is damaged');
    expect(ranger?.content.kind).toBe('bytes');
    expect(problemOf((await allOf({ args: ['odd.mcpack'] }, rootsIn(cwd))).at(-1)!)?.message).toContain(
      'is not in the pack',
    );
  });

  test('of 10,000 skins is unpacked in groups, and each skin has its own picture', async () => {
    const count = 9_990;
    const skins = Array.from({ length: count }, (_, at) => ({
      localization_name: `${at}`,
      geometry: 'geometry.humanoid',
      texture: `${count - 1 - at}.png`,
    }));
    const pictures = skins.map(({ texture }) => [texture, Buffer.from(texture)]);
    const files = { 'manifest.json': MANIFEST, 'skins.json': JSON.stringify({ skins }) };
    const texts = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]);
    const cwd = await folderOf({
      'p.mcpack': Buffer.from(zipSync(Object.fromEntries([...texts, ...pictures]), { level: 0 })),
    });
    const sources = await allOf({ args: ['p.mcpack'] }, rootsIn(cwd));
    const own = sources.filter(
      ({ content }, at) =>
        content.kind === 'bytes' && `${Buffer.from(content.bytes)}` === `${count - 1 - at}.png`,
    );
    expect(own).toHaveLength(count);
  });

  test('is found in a folder, and below it with -r, unless it is ignored; its pictures are no sources of their own', async () => {
    const cwd = await folderOf({
      ...under('skins/town'),
      'skins/a.mcpack': zipOf(FILES),
      'skins/draft.mcpack': zipOf(FILES),
      'skins/plain.png': PNG,
      'skins/.skinsmithignore': 'draft.*',
      'only/p.mcpack': zipOf(FILES),
    });
    const labels = async (args: string[], recursive: boolean) =>
      (await allOf({ args, recursive }, rootsIn(cwd))).map(({ label, stem }) => [label, stem].join(' '));
    const skins = (pack: string, stem: string) =>
      ['Knight', 'Ranger of the // North', 'Dragon', 'Made', 'Out', 'Gone'].map(
        (name) => `${pack}:${name} ${stem}/${name.replaceAll('/', '_')}`,
      );
    const direct = [...skins('skins/a.mcpack', 'a'), 'skins/plain.png plain'];
    expect(await labels(['skins'], false)).toEqual(direct);
    expect(await labels(['skins'], true)).toEqual([...direct, ...skins('skins/town', 'town')]);
    expect(await labels(['only'], false)).toEqual(skins('only/p.mcpack', 'p'));
  });

  test('may have files of any case, names in its own languages only, and commas that end lists', async () => {
    const skins = SKINS.slice(0, 2).map((skin) => `${JSON.stringify(skin)},`);
    const text = `{"serialize_name": "P", "localization_name": "P", "skins": [${skins.join('\n')}],}`;
    const files = {
      'Manifest.JSON': MANIFEST,
      'SKINS.json': text,
      'Texts/DE_de.LANG': 'skin.P.ranger=Waldläufer\n',
      'Texts/fr_FR.lang': 'skin.P.ranger=Garde\nskin.P.Knight=Chevalier\n',
      'Texts/languages.json': '["fr_FR", "../x"]',
      'Knight.PNG': PNG,
      'A/Ranger.png': PNG,
      'CAPE.png': PNG,
    };
    const bytes = Object.fromEntries(Object.entries(files).map(([name, one]) => [name, Buffer.from(one)]));
    const inFolder = Object.fromEntries(Object.entries(files).map(([name, one]) => [`p/${name}`, one]));
    const cwd = await folderOf({ ...inFolder, 'z.mcpack': zipOf(bytes) });
    for (const [arg, kind] of Object.entries({ p: 'file', 'z.mcpack': 'bytes' })) {
      const sources = await allOf({ args: [arg] }, rootsIn(cwd));
      expect(sources.map(({ label, content }) => [label, content.kind])).toEqual([
        [`${arg}:Chevalier`, kind],
        [`${arg}:Garde`, kind],
      ]);
      expect(sources[1]?.cape?.kind).toBe(kind);
    }
    expect(await allOf({ args: ['.'], recursive: true }, rootsIn(cwd))).toHaveLength(4);
  });

  test('without geometry.json has no shapes of its own: the pixels tell the arms', async () => {
    const { 'geometry.json': _, ...files } = FILES;
    const listed = { 'minecraft:geometry': [{ description: { identifier: 'geometry.Dragon' } }] };
    const newer = { ...FILES, 'geometry.json': Buffer.from(JSON.stringify(listed)) };
    const cwd = await folderOf({ 'p.mcpack': zipOf(files), 'new.mcpack': zipOf(newer) });
    const dragonIn = async (arg: string) => (await allOf({ args: [arg] }, rootsIn(cwd)))[2]!;
    expect(await dragonIn('p.mcpack')).toMatchObject({ content: { kind: 'bytes' } });
    expect(await dragonIn('p.mcpack')).not.toHaveProperty('variant');
    expect(problemOf(await dragonIn('new.mcpack'))?.message).toContain('is a shape of its own');
  });

  test('may be one of several in an add-on or a template of a world, in folders or as zips', async () => {
    const world = {
      ...Object.fromEntries(Object.entries(FILES).map(([name, one]) => [`skin_packs/One/${name}`, one])),
      'Two.mcpack': zipOf(FILES),
      'bad.mcpack': Buffer.from('bad'),
      'behaviour/manifest.json': Buffer.from('{"modules":[{"type":"data"}]}'),
      'level.dat': Buffer.alloc(10),
    };
    const files = { 'w.mctemplate': zipOf(world), 'a.mcaddon': zipOf(FILES, 'deep/er/') };
    const cwd = await folderOf({
      ...files,
      'none.mcaddon': zipOf({ 'x/manifest.json': world['behaviour/manifest.json'] }),
    });
    const seen = async (arg: string) =>
      (await allOf({ args: [arg] }, rootsIn(cwd))).map((one) => [one.label, one.stem, problemOf(one)?.code]);
    const template = await seen('w.mctemplate');
    expect([template[0], template[6], template[12], template.length]).toEqual([
      ['w.mctemplate/skin_packs/One:Knight', 'skin_packs_One/Knight', undefined],
      ['w.mctemplate/Two:Knight', 'Two/Knight', undefined],
      ['w.mctemplate/bad', 'bad/pack', 'invalid_skin_pack'],
      13,
    ]);
    expect((await seen('a.mcaddon'))[0]).toEqual(['a.mcaddon:Knight', 'Knight', undefined]);
    expect(await seen('none.mcaddon')).toEqual([['none.mcaddon', 'pack', 'invalid_skin_pack']]);
    expect(await allOf({ args: ['.'] }, rootsIn(cwd))).toHaveLength(13 + 6 + 1);
  });
});
