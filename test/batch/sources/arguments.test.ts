import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSources, type SourceSpec } from '../../../src/batch/sources/arguments.ts';
import { fileProblem } from '../../../src/batch/sources/files.ts';
import {
  allOf,
  folderOf,
  onlyOf,
  problemOf,
  rootsIn,
  spec,
  stemsOf,
  UUID,
} from '../../support/batch/read-sources.ts';

const DASHED = '61699B2E-D327-4A01-9F1E-0EA8C3F06BC6';
const DATA = 'data:image/png;base64,';
const elsewhere = rootsIn('/no/such/folder');

describe('A path', () => {
  test('of a file is one source, named as it was typed', async () => {
    const cwd = await folderOf(['heroes/My Skin.v2.png']);
    expect(await onlyOf({ args: ['./heroes/My Skin.v2.png'] }, rootsIn(cwd))).toEqual({
      label: './heroes/My Skin.v2.png',
      content: { kind: 'file', path: join(cwd, 'heroes/My Skin.v2.png') },
      stem: 'My Skin.v2',
    });
  });

  test('may have any name, because the check says what the file is', async () => {
    const cwd = await folderOf(['skin', '.hidden.png', UUID, '-']);
    const args = ['skin', '.hidden.png', UUID, './-'];
    expect((await allOf({ args }, rootsIn(cwd))).map((source) => source.content.kind)).toEqual(
      args.map(() => 'file'),
    );
  });

  test.each(['missing.png', 'no/such/a.png', 'a.png/', 'x'.repeat(5_000), `${UUID}0`, 'ab', 'a\0b'])(
    'that leads nowhere is reported: %.20j',
    async (arg) => {
      const source = await onlyOf({ args: [arg] }, rootsIn(await folderOf(['a.png'])));
      expect(source.label).toBe(arg);
      expect(problemOf(source)).toEqual({
        code: 'no_such_file',
        message: `No file or folder ${arg}.`,
        hint:
          arg === 'a.png/'
            ? 'Did you mean a.png?'
            : 'Give the path of a PNG file, a folder of them, or - for stdin.',
      });
    },
  );

  test('that ends in a dot is set apart from the sentence', async () => {
    const source = await onlyOf({ args: ['a.png.'] }, rootsIn(await folderOf(['a.png'])));
    expect(problemOf(source)).toMatchObject({ message: 'No file or folder "a.png.".' });
  });

  test('that is empty is not the current folder', async () => {
    const source = await onlyOf({ args: [''] }, rootsIn(await folderOf(['a.png'])));
    expect(problemOf(source)).toMatchObject({ code: 'no_such_file' });
  });

  test.each(['gone.png', 'Notch'])(
    'that is a dangling link is reported, and is not a player: %s',
    async (arg) => {
      const cwd = await folderOf([]);
      symlinkSync('nowhere', join(cwd, arg));
      expect(problemOf(await onlyOf({ args: [arg] }, rootsIn(cwd)))).toEqual({
        code: 'no_such_file',
        message: `${arg} is a symbolic link to something that does not exist.`,
      });
    },
  );

  test('whose name is not UTF-8 is reported', async () => {
    const source = await onlyOf({ args: ['caf\uFFFD.png'] }, rootsIn(await folderOf([])));
    expect(problemOf(source)?.hint).toContain('valid UTF-8');
  });

  test('that is a symbolic link loop is reported', async () => {
    const cwd = await folderOf([]);
    symlinkSync('loop', join(cwd, 'loop'));
    expect(problemOf(await onlyOf({ args: ['loop'] }, rootsIn(cwd)))).toEqual({
      code: 'not_a_file',
      message: 'loop is a symbolic link loop.',
    });
  });
});

describe('An error of the file system about a path', () => {
  const rows: [errno: string, code: string, message: string][] = [
    ['EACCES', 'eacces', 'a.png: Permission denied.'],
    ['EPERM', 'eacces', 'a.png: Permission denied.'],
    ['EIO', 'eio', 'a.png: broken.'],
  ];
  test.each(rows)('%s is reported as %s', (errno, code, message) => {
    const error = Object.assign(new Error('broken'), { code: errno });
    expect(fileProblem('a.png', error)).toEqual({ code, message });
  });

  test('is not reported for a bug in the program', () => {
    const bug = new TypeError('x is undefined');
    expect(() => fileProblem('a.png', bug)).toThrow(bug);
  });
});

describe('A URL', () => {
  const good: [url: string, stem: string][] = [
    ['https://a.example/skins/s.png', 's'],
    ['HTTP://a.example/', 'a.example'],
    ['https://a.example/S.PNG?size=8#x', 'S'],
    ['https://a.example/my%20skin.png', 'my skin'],
    ['https://a.example/a%2Fb%zz', 'a%2Fb%zz'],
    ['https://a.example/a%2Fb', 'a_b'],
    ['https://a.example/@someone/s.png', 's'],
  ];
  test.each(good)('is left to the service: %s', async (url, stem) => {
    expect(await onlyOf({ args: [url] }, elsewhere)).toEqual({
      label: url,
      content: { kind: 'url', url },
      stem,
    });
  });

  test('may have 256 characters and no more', async () => {
    const url = `https://a.example/${'x'.repeat(238)}`;
    expect((await onlyOf({ args: [url] }, elsewhere)).content).toEqual({ kind: 'url', url });
    const longer = await onlyOf({ args: [`${url}x`] }, elsewhere);
    expect(problemOf(longer)).toMatchObject({
      code: 'invalid_image_url',
      message: 'The URL is longer than 256 characters.',
    });
    expect(longer.label).toBe(`${url}…`);
  });

  test.each(['https://', 'http://a b/s.png', 'https://[::1/s.png'])('must be valid: %s', async (url) => {
    const source = await onlyOf({ args: [url] }, elsewhere);
    expect(problemOf(source)).toMatchObject({ code: 'invalid_image_url', hint: expect.any(String) });
    expect(source.label).toBe(url);
  });

  test.each(['ftp://a.example/s.png', 'file://elsewhere/s.png', 'S3://bucket/s.png'])(
    'must be for http or https: %s',
    async (url) => {
      const source = await onlyOf({ args: [url] }, elsewhere);
      expect([source.label, problemOf(source)]).toEqual([
        url,
        expect.objectContaining({ message: 'Only http and https URLs can be used.' }),
      ]);
    },
  );

  const MAYBE_PASSWORD = 'URL (may contain a password)';
  const secret: [url: string, label: string][] = [
    ['ftp://me:hunter2@a.example/s.png', 'ftp://a.example/s.png'],
    ['https://me:hunter2@a.example/s.png', 'https://a.example/s.png'],
    ['https://hunter2@a.example/s.png', 'https://a.example/s.png'],
    ['https://me:hun@ter2@a.example/s.png?u=a@b', 'https://a.example/s.png?u=a@b'],
    ['http:///me:hunter2@a.example/s.png', 'http://a.example/s.png'],
    ['https://me:hunter2@a b/s.png', MAYBE_PASSWORD],
    ['https://me:hunter2/x@a.example/s.png', MAYBE_PASSWORD],
    ['https://me:hunter2#x@a.example/s.png', MAYBE_PASSWORD],
    ['https://me:hunter2?x@a.example/s.png', MAYBE_PASSWORD],
    ['https:me:hunter2@a.example/s.png', 'https://a.example/s.png'],
    ['me:hunter2@a.example/s.png', MAYBE_PASSWORD],
    ['//me:hunter2@a.example/s.png', MAYBE_PASSWORD],
  ];
  test.each(secret)('with a password is neither sent nor shown: %s', async (url, label) => {
    const source = await onlyOf({ args: [url], as: 'url' }, elsewhere);
    expect(source.label).toBe(label);
    expect(problemOf(source)).toMatchObject({ code: 'invalid_image_url' });
    expect(JSON.stringify(source)).not.toMatch(/hunter2|ter2/);
  });
});

describe('A data URL', () => {
  test('is a picture that is at hand already', async () => {
    const url = `${DATA}${Buffer.from('a picture').toString('base64')}`;
    const source = await onlyOf({ args: [url] }, elsewhere);
    expect(source).toEqual({
      label: 'data:image/png;base64,YSBwaWN0…',
      content: { kind: 'bytes', bytes: Buffer.from('a picture') },
      stem: 'data',
    });
  });

  test.each(['Data:Image/PNG;Base64,AAAA', `${DATA}AAA=`, `${DATA}AAA`])('is taken as %s', async (url) => {
    expect((await onlyOf({ args: [url] }, elsewhere)).content.kind).toBe('bytes');
  });

  test.each([
    DATA,
    `${DATA}A`,
    `${DATA}AA A`,
    `${DATA}AA-_`,
    'data:,AAAA',
    'data:image/jpeg;base64,AAAA',
    'data:image/png,AAAA',
  ])('must hold a PNG in base64: %s', async (url) => {
    expect(problemOf(await onlyOf({ args: [url] }, elsewhere))).toMatchObject({ code: 'invalid_image_url' });
  });

  test('must declare a PNG, whatever follows', async () => {
    const source = await onlyOf({ args: ['data:image/jpeg;base64,AAAAAAAA'] }, elsewhere);
    expect(problemOf(source)?.message).toBe(`The data URL must start with ${DATA}`);
  });
});

describe('A player', () => {
  test.each([UUID, DASHED])('can be named by a UUID, as can a skin: %s', async (arg) => {
    expect(await onlyOf({ args: [arg] }, elsewhere)).toEqual({
      label: arg,
      content: { kind: 'uuid', uuid: UUID },
      stem: UUID,
    });
  });

  test('may be given by name, in upper or lower case', async () => {
    for (const arg of ['Jeb_', 'a'])
      expect(await onlyOf({ args: [arg], as: 'user' }, elsewhere)).toEqual({
        label: arg,
        content: { kind: 'user', user: arg.toLowerCase(), typed: arg },
        stem: arg,
      });
  });

  test('may be meant by a word that is not a path, but only as a guess', async () => {
    const cwd = await folderOf(['Notch']);
    expect((await onlyOf({ args: ['Notch'] }, rootsIn(cwd))).content.kind).toBe('file');
    const { content } = await onlyOf({ args: ['Jeb_'] }, rootsIn(cwd));
    expect(content).toEqual({ kind: 'user', user: 'jeb_', typed: 'Jeb_', isGuess: true });
    const asFile = await onlyOf({ args: ['Jeb_'], as: 'file' }, rootsIn(cwd));
    expect(problemOf(asFile)).toMatchObject({ code: 'no_such_file' });
  });

  test.each(['', '-', 'seventeen_letters', 'two words', 'https://a.example/'])(
    'is not named by %j',
    async (arg) => {
      expect(problemOf(await onlyOf({ args: [arg], as: 'user' }, elsewhere))).toMatchObject({
        code: 'invalid_user',
      });
    },
  );
});

describe('The kind that the user gives for an argument', () => {
  const rows: [as: SourceSpec['as'], arg: string, kind: string][] = [
    ['file', 'http://a.example/s.png', 'file'],
    ['file', UUID, 'file'],
    ['file', DATA, 'file'],
    ['file', '-', 'bytes'],
    ['file', DASHED, 'problem'],
    ['url', 'http://a.example/s.png', 'url'],
    ['url', `${DATA}AAAA`, 'bytes'],
    ['url', 'skin.png', 'problem'],
    ['url', 'ftp://a.example/s.png', 'problem'],
    ['url', '-', 'problem'],
    ['user', UUID, 'user'],
    ['user', 'skin.png', 'problem'],
  ];
  test.each(rows)('overrides its form: as %s, %s is of kind %s', async (as, arg, kind) => {
    const cwd = await folderOf([UUID, 'skin.png', 'http:/a.example/s.png', DATA]);
    expect((await onlyOf({ args: [arg], as }, rootsIn(cwd, 'a picture'))).content.kind).toBe(kind);
  });
});

describe('Arguments', () => {
  test('keep their order, and lists come after them', async () => {
    const cwd = await folderOf({ 'one/x.png': '', 'two/a.png': '', 'list.txt': 'one/x.png' });
    const parts = { args: ['two', 'https://a.example/s.png', '-', 'one'], from: ['list.txt'] };
    expect(await stemsOf(parts, rootsIn(cwd, 'p'))).toEqual(['a', 's', 'stdin', 'x', 'one/x']);
  });

  test('are looked at one by one', async () => {
    const cwd = await folderOf(['a.png']);
    for await (const source of openSources(spec({ args: ['a.png', '-'] }), rootsIn(cwd))) {
      expect(source.label).toBe('a.png');
      break;
    }
  });

  test('may be none', async () => {
    expect(await allOf({}, elsewhere)).toEqual([]);
  });
});

test('Only sources with a picture of their own can be scaled down', async () => {
  const cwd = await folderOf(['a.png']);
  const parts = { args: ['a.png', 'https://a.example/b.png'], players: ['Jeb_'] };
  const [given, fitted] = [
    await allOf(parts, rootsIn(cwd)),
    await allOf({ ...parts, fit: true }, rootsIn(cwd)),
  ];
  expect(fitted.slice(0, 2)).toEqual(
    given.slice(0, 2).map((source) => ({ ...source, content: { ...source.content, fit: true } })),
  );
  expect(fitted[2]).toEqual(given[2]);
});

describe('A player of Bedrock Edition', () => {
  const xuid = '2535432196048835';
  const uuid = '00000000-0000-0000-0009-01f64f65c7c3';
  const written: [text: string, player: string, stem: string][] = [
    ['bedrock:Some Name', 'some name', 'Some Name'],
    ['.Some_Name', 'some name', 'Some_Name'],
    [xuid, xuid, xuid],
    [uuid, xuid, uuid],
  ];
  const sourceOf = ([text, player, stem]: (typeof written)[number]) => ({
    label: text,
    content: { kind: 'bedrock', player, typed: stem },
    stem,
  });

  test.each(written)('is meant by %s where players are named, and in lists', async (...row) => {
    const [text] = row;
    const cwd = await folderOf({ 'all.txt': `${text}\n`, 'all.csv': `source,name\n${text},x\n` });
    for (const parts of [{ players: [text] }, { args: [text], as: 'user' }, { from: ['all.txt'] }] as const)
      expect(await onlyOf(parts, rootsIn(cwd))).toMatchObject(sourceOf(row));
    expect(await onlyOf({ from: ['all.csv'] }, rootsIn(cwd))).toMatchObject({ ...sourceOf(row), stem: 'x' });
  });

  test('is meant by an argument, unless that is a path or begins with a dot', async () => {
    for (const row of written.filter(([text]) => !text.startsWith('.')))
      expect(await onlyOf({ args: [row[0]] }, elsewhere)).toMatchObject(sourceOf(row));
    const dotted = await onlyOf({ args: ['.Ann'] }, elsewhere);
    expect(problemOf(dotted)).toMatchObject({
      code: 'no_such_file',
      hint: expect.stringContaining('--player .Ann'),
    });
    const cwd = await folderOf([xuid, 'bedrock:a.png']);
    for (const arg of [xuid, './bedrock:a.png'])
      expect((await onlyOf({ args: [arg] }, rootsIn(cwd))).content.kind).toBe('file');
  });

  test('with an invalid name is reported', async () => {
    for (const parts of [{ args: ['bedrock:a/b'] }, { players: ['.a.b'] }] as const)
      expect(problemOf(await onlyOf(parts, elsewhere))).toMatchObject({
        code: 'invalid_user',
        hint: expect.stringContaining('bedrock:Name'),
      });
  });
});
