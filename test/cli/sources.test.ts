import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/cli/exit.ts';
import { expandSources, readStdin, skinNameFrom } from '../../src/cli/sources.ts';
import { failureOf } from '../client/test-client.ts';
import { tempFolder } from '../textures/temp-folder.ts';
import { testIo } from './test-io.ts';

const { io } = testIo();
const UUID = '61699b2ed3274a019f1e0ea8c3f06bc6';

/** A folder with files of these names, each holding its own name. */
async function folderOf(...names: string[]): Promise<string> {
  const folder = await tempFolder();
  for (const name of names) await writeFile(join(folder, name), name);
  return folder;
}

async function labelsOf(...args: string[]): Promise<string[]> {
  return (await expandSources(args, io)).map((source) => source.label);
}

describe('expandSources', () => {
  it('reads a file under its own name when it is asked to', async () => {
    const path = join(await folderOf('My Skin.png'), 'My Skin.png');
    const [source] = await expandSources([path], io);
    expect(source).toMatchObject({ label: path, stem: 'My Skin' });
    expect(await source?.read()).toEqual({ file: Buffer.from('My Skin.png'), fileName: 'My Skin.png' });
  });

  it('takes a file of any name, because the check says what it is', async () => {
    const path = join(await folderOf('skin'), 'skin');
    expect(await labelsOf(path)).toEqual([path]);
  });

  it('takes the PNG files directly in a folder, sorted, without the hidden ones', async () => {
    const folder = await folderOf('b.png', 'a.PNG', '.hidden.png', 'notes.txt', 'c.png.bak', 'c.png');
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below', 'd.png'), '');
    await mkdir(join(folder, 'folder.png'));
    expect(await labelsOf(folder)).toEqual(['a.PNG', 'b.png', 'c.png'].map((name) => join(folder, name)));
  });

  it('keeps the order of the arguments', async () => {
    const [one, two] = [await folderOf('x.png'), await folderOf('a.png')];
    const url = 'https://skins.example/s.png';
    expect(await labelsOf(one, '-', url, two)).toEqual([join(one, 'x.png'), '-', url, join(two, 'a.png')]);
  });

  const links: [arg: string, label: string, source: object][] = [
    ['https://a.example/s.png', 'https://a.example/s.png', { url: 'https://a.example/s.png' }],
    ['HTTP://a.example/', 'HTTP://a.example/', { url: 'HTTP://a.example/' }],
    [UUID, UUID, { user: UUID }],
    [
      '61699B2E-D327-4A01-9F1E-0EA8C3F06BC6',
      '61699B2E-D327-4A01-9F1E-0EA8C3F06BC6',
      { user: '61699B2E-D327-4A01-9F1E-0EA8C3F06BC6' },
    ],
    [
      `data:image/png;base64,${'A'.repeat(500)}`,
      'data:image/png;base64,AAAAAAAA…',
      { url: `data:image/png;base64,${'A'.repeat(500)}` },
    ],
  ];
  it.each(links)('takes %s for what it is', async (arg, label, source) => {
    const [named] = await expandSources([arg], io);
    expect(named).toMatchObject({ label, stem: undefined });
    expect(await named?.read()).toEqual(source);
  });

  it('reads stdin for -', async () => {
    const [source] = await expandSources(['-'], testIo({ stdin: 'PNG' }).io);
    expect(source).toMatchObject({ label: '-', stem: undefined });
    expect(await source?.read()).toEqual({ file: Buffer.from('PNG') });
  });

  it.each(['missing.png', 'no/such/folder/a.png', 'x'.repeat(5_000), `${UUID}0`])(
    'says that there is no %.20s',
    async (arg) => {
      const [source] = await expandSources([arg], io);
      const failure = await failureOf(source!.read());
      expect(failure).toBeInstanceOf(CliError);
      expect(failure).toMatchObject({ code: 'no_such_file', exit: 'failed', hint: expect.any(String) });
      expect((failure as Error).message).toContain(arg);
    },
  );

  it('says that a folder holds no PNG files', async () => {
    const folder = await folderOf('.hidden.png', 'a.txt');
    const [source] = await expandSources([folder], io);
    const failure = await failureOf(source!.read());
    expect(failure).toMatchObject({ code: 'empty_folder', message: `There are no PNG files in ${folder}.` });
  });

  it.each(['/dev/zero', '/dev/null'])('refuses %s, which is no file with an end', async (device) => {
    const [source] = await expandSources([device], io);
    expect(await failureOf(source!.read())).toMatchObject({ code: 'not_a_file' });
  });

  it('refuses a file that is absurdly large, without reading it', async () => {
    const path = join(await folderOf('big.png'), 'big.png');
    await truncate(path, 8 * 1024 * 1024 + 1);
    const [source] = await expandSources([path], io);
    const failure = await failureOf(source!.read());
    expect(failure).toMatchObject({
      code: 'invalid_image',
      message: `${path} has 8388609 bytes; a skin has at most 20,000.`,
    });
  });

  const spoilt: [what: string, spoil: (path: string) => Promise<void>, code: string][] = [
    ['is a link to nothing', async (path) => await symlink('/no/such/file', path), 'no_such_file'],
    ['is a link to itself', async (path) => await symlink(path, path), 'not_a_file'],
    ['is a link to a folder', async (path) => await symlink('/', path), 'not_a_file'],
  ];
  it.each(spoilt)(
    'blames one file of a folder that %s, and not the whole command',
    async (_, spoil, code) => {
      const folder = await folderOf('a.png', 'b.png');
      await rm(join(folder, 'a.png'));
      await spoil(join(folder, 'a.png'));
      const [bad, good] = await expandSources([folder], io);
      const failure = await failureOf(bad!.read());
      expect(failure).toBeInstanceOf(CliError);
      expect(failure).toMatchObject({ code, exit: 'failed', message: expect.stringContaining(bad!.label) });
      expect(await good?.read()).toMatchObject({ fileName: 'b.png' });
    },
  );

  it('blames a file that is gone when its turn comes', async () => {
    const path = join(await folderOf('a.png'), 'a.png');
    const [source] = await expandSources([path], io);
    await rm(path);
    expect(await failureOf(source!.read())).toMatchObject({ code: 'no_such_file', exit: 'failed' });
  });
});

describe('readStdin', () => {
  it('reads all that comes, in whatever pieces', async () => {
    const stdin = Readable.from([Buffer.from('ab'), Buffer.from(''), Buffer.from('c')]);
    expect(Buffer.from(await readStdin({ stdin })).toString()).toBe('abc');
  });

  it('refuses nothing at all as a mistake in the command line', async () => {
    const failure = await failureOf(readStdin({ stdin: Readable.from([]) }));
    expect(failure).toMatchObject({ code: 'empty_input', exit: 'usage' });
  });

  it('stops reading what is too large', async () => {
    let pieces = 0;
    const endless = function* () {
      for (;;) {
        pieces++;
        yield Buffer.alloc(1024 * 1024);
      }
    };
    const failure = await failureOf(readStdin({ stdin: Readable.from(endless()) }));
    expect(failure).toMatchObject({ code: 'invalid_image' });
    expect(pieces).toBeLessThan(32);
  });
});

describe('skinNameFrom', () => {
  const names: [stem: string, name: string | undefined][] = [
    ['My Skin', 'My Skin'],
    ['a.b-c_d', 'a.b-c_d'],
    ['Zoë', 'Zoe'],
    ['Ünïcödé', 'Unicode'],
    ['a/b:c*d', 'a_b_c_d'],
    ['ﬁle', 'file'],
    [' padded ', 'padded'],
    ['x'.repeat(60), 'x'.repeat(48)],
    [`${'x'.repeat(47)} y`, 'x'.repeat(47)],
    ['a\nb', 'a_b'],
    ['___', undefined],
    ['皮肤', undefined],
    ['', undefined],
  ];
  it.each(names)('makes, of %j, %j', (stem, name) => {
    expect(skinNameFrom(stem)).toBe(name);
  });
});
