import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DigestCache } from '../../../../src/base/digest-cache.ts';
import type { BatchResult, FinishedSkin } from '../../../../src/batch/model.ts';
import { DeliveryError } from '../../../../src/batch/options.ts';
import { OutputFiles } from '../../../../src/cli/batch/output.ts';
import { FORMAT_NAMES } from '../../../../src/cli/output/format-names.ts';
import { type FormatLike, templateFormat } from '../../../../src/cli/output/formats.ts';
import { OutputGuard } from '../../../../src/cli/output/output-guard.ts';
import { parseTemplate } from '../../../../src/cli/output/templates.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const HOUR = 60 * 60 * 1000;

function makeSkin(some: Partial<FinishedSkin> = {}): FinishedSkin {
  return {
    uuid: '0123456789abcdef0123456789abcdef',
    name: 'Knight',
    variant: 'classic',
    visibility: 'public',
    value: 'dmFsdWU=',
    signature: 'c2lnbmF0dXJl',
    texture: { url: 'http://textures.example/texture/aa11', hash: 'aa11' },
    ...some,
  };
}

/** A result of a source whose files the lockfile has recorded, in the formats that these tests use. */
function resultOf(stem: string, skin: FinishedSkin | undefined = makeSkin()): BatchResult {
  const files = ['value', 'signature'].map((extension) => `${stem}.${extension}`);
  return { ...newResult(stem, skin), record: { outputs: [{ name: stem, files }] } };
}

function newResult(stem: string, skin: FinishedSkin | undefined = makeSkin()): BatchResult {
  const version = skin?.uuid;
  const content = { kind: 'user', user: 'ab'.repeat(16) } as const;
  return { index: 0, source: `${stem}.png`, stem, content, skin, version, warnings: [] };
}

/** An output folder, and runs of a command that write there, an hour between each two. */
async function ownOutput() {
  const folder = await ownFolder();
  const out = join(folder, 'out');
  let now = Date.now();
  const run = (
    results: readonly BatchResult[],
    formats: readonly FormatLike[] = ['value'],
    sources: readonly string[] = [],
    allowed = {},
  ) => {
    now += HOUR;
    const digests = new DigestCache(join(folder, 'outputs.tsv'), now);
    const files = new OutputFiles(out, {
      formats,
      digests,
      guard: new OutputGuard(sources, allowed),
      lockDir: out,
    });
    for (const result of results) files.write(result);
    digests.save();
  };
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  const stamp = (name: string) => {
    const { ino, mtimeNs, ctimeNs } = statSync(join(out, name), { bigint: true });
    return { ino, mtimeNs, ctimeNs };
  };
  return { folder, out, run, read, stamp };
}

describe('Results in a folder', () => {
  test('are one file per format, in folders that are created', async () => {
    const { out, run, read } = await ownOutput();
    run([resultOf('Heroes/Old/Knight'), resultOf('Miner')], ['value', 'skinsrestorer']);
    expect(readdirSync(out, { recursive: true }).sort()).toEqual([
      'Heroes',
      'Heroes/Old',
      'Heroes/Old/Knight.value',
      'Heroes/Old/knight.customskin',
      'Miner.value',
      'miner.customskin',
    ]);
    expect(read('Miner.value')).toBe('dmFsdWU=\n');
  });

  test('have the same content as stdout', async () => {
    const { run, read } = await ownOutput();
    const { texture, ...rest } = makeSkin();
    run([resultOf('Knight', { ...rest, texture, duplicate: true })], ['json']);
    expect(JSON.parse(read('Knight.json'))).toEqual({ ...rest, texture });
  });

  test('create the folder even if there are no results', async () => {
    const { out, run } = await ownOutput();
    run([]);
    expect(readdirSync(out)).toEqual([]);
  });

  test('do not exist for failed sources and sources without a skin', async () => {
    const { out, run } = await ownOutput();
    run([
      { ...resultOf('Knight'), error: { code: 'invalid_image', message: 'No.' } },
      { ...resultOf('Miner'), skin: undefined, version: undefined },
    ]);
    expect(readdirSync(out)).toEqual([]);
  });

  test('leave no temporary files', async () => {
    const { out, run } = await ownOutput();
    run([resultOf('Knight')]);
    run([resultOf('Knight', makeSkin({ uuid: 'ff'.repeat(16), value: 'bmV3' }))]);
    expect(readdirSync(out)).toEqual(['Knight.value']);
  });
});

describe('A file that is there already', () => {
  test('stays as it is when the content is the same', async () => {
    const { run, stamp } = await ownOutput();
    const value = Buffer.from('{"textures":{"SKIN":{"url":"http://a.example/b"}}}').toString('base64');
    const knight = resultOf('Knight', makeSkin({ value }));
    run([knight], FORMAT_NAMES);
    const before = stamp('Knight.value');
    run([knight], FORMAT_NAMES);
    expect(stamp('Knight.value')).toEqual(before);
  });

  test('stays as it is when the content is the same, even without a record', async () => {
    const { out, run, stamp } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, 'Knight.value'), 'dmFsdWU=\n');
    const before = stamp('Knight.value');
    run([resultOf('Knight')]);
    expect(stamp('Knight.value')).toEqual(before);
  });

  test('is left alone, without reading the skin, if a record shows that it is current', async () => {
    const { run } = await ownOutput();
    run([resultOf('Knight')]);
    const untouched: BatchResult = {
      ...resultOf('Knight'),
      get skin(): FinishedSkin {
        throw new Error('Nobody should read this.');
      },
    };
    expect(() => run([untouched])).not.toThrow();
  });

  test('stays as it is when the content is the same, whatever names the service uses', async () => {
    const { run, stamp } = await ownOutput();
    const result = resultOf('Knight', makeSkin({ uuid: 'skin-1' }));
    run([result]);
    const before = stamp('Knight.value');
    run([result]);
    expect(stamp('Knight.value')).toEqual(before);
  });

  test('is replaced when the skin is a different one', async () => {
    const { run, read } = await ownOutput();
    run([resultOf('Knight')]);
    run([resultOf('Knight', makeSkin({ uuid: 'ff'.repeat(16), value: 'bmV3' }))]);
    expect(read('Knight.value')).toBe('bmV3\n');
  });

  test('is repaired when someone has edited it', async () => {
    const { out, run, read } = await ownOutput();
    run([resultOf('Knight')]);
    writeFileSync(join(out, 'Knight.value'), 'ZWRpdGVk\n');
    run([resultOf('Knight')]);
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
  });

  test('is repaired after an edit that changed neither its size nor its time of change', async () => {
    const { out, run, read } = await ownOutput();
    run([resultOf('Knight')]);
    const path = join(out, 'Knight.value');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'xxxxxxx=\n');
    utimesSync(path, atime, mtime);
    run([resultOf('Knight')]);
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
  });

  test('is made again when it was removed, and left alone in the other formats', async () => {
    const { out, run, read, stamp } = await ownOutput();
    run([resultOf('Knight')], ['value', 'signature']);
    const before = stamp('Knight.signature');
    rmSync(join(out, 'Knight.value'));
    run([resultOf('Knight')], ['value', 'signature']);
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
    expect(stamp('Knight.signature')).toEqual(before);
  });

  test('is replaced, not written through, when it is a link', async () => {
    const { folder, out, run, read } = await ownOutput();
    mkdirSync(out);
    const precious = join(folder, 'precious');
    const other = `${'b'.repeat(200)}\n`;
    writeFileSync(precious, other);
    symlinkSync(precious, join(out, 'Knight.value'));
    run([resultOf('Knight')]);
    expect(readFileSync(precious, 'utf8')).toBe(other);
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
  });

  test('is replaced when it is empty, as mktemp leaves one', async () => {
    const { out, run, read } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, 'Knight.value'), '');
    run([newResult('Knight')]);
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
  });

  test("is replaced when it is skinsmith's JSON of another skin, as a killed batch leaves it", async () => {
    const { run, read } = await ownOutput();
    const value = 'dmFsdWU='.padStart(200, 'b');
    run([newResult('Knight', makeSkin({ value }))], ['json']);
    run([newResult('Knight', makeSkin({ uuid: 'ff'.repeat(16), value, variant: 'slim' }))], ['json']);
    expect(JSON.parse(read('Knight.json'))).toMatchObject({ variant: 'slim' });
  });
});

/** A form of the user's own. */
function templateOf(text: string): FormatLike {
  return templateFormat('.value', () => parseTemplate(text, ['name', 'value']));
}

test.each([
  ['has skin data', `skin: ${'b'.repeat(200)}\n`, 'Knight=dmFsdWU=\n'],
  ['has none', 'mine: all of it\n', undefined],
])(
  'A recorded file of another template is replaced only if it has skin data: it %s',
  async (_, before, after) => {
    const { out, run, read } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, 'Knight.value'), before);
    const make = () => run([resultOf('Knight')], [templateOf('{{name}}={{value}}')]);
    if (after === undefined) expect(make).toThrow(expect.objectContaining({ code: 'output_exists' }));
    else make();
    expect(read('Knight.value')).toBe(after ?? before);
  },
);

test("A template's file that this machine wrote is replaced, whatever its content", async () => {
  const { run, read } = await ownOutput();
  run([resultOf('Knight')], [templateOf('{{name}}')]);
  run([resultOf('Knight')], [templateOf('{{name}}!')]);
  expect(read('Knight.value')).toBe('Knight!\n');
});

describe('A file that another program wrote', () => {
  const FOREIGN = [
    ['Knight.json', 'json', '{"format_version":"1.12.0","minecraft:geometry":[]}'],
    ['Knight.value', 'value', `${'b'.repeat(200)}\n`],
    ['knight.mcfunction', 'give', 'say hello\n'],
    ['knight.customskin', 'skinsrestorer', `{"skinName":"knight","value":"${'b'.repeat(200)}"}`],
  ] as const;
  test.each(FOREIGN)('stays: %s', async (name, format, text) => {
    const { out, run, read } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, name), text);
    expect(() => run([newResult('Knight')], [format])).toThrow(
      expect.objectContaining({
        code: 'output_exists',
        message: `${join(out, name)} exists and skinsmith did not write it.`,
        hint: expect.stringContaining('--overwrite'),
      }),
    );
    expect(read(name)).toBe(text);
  });

  test('is replaced on request, unless it is a picture or a source', async () => {
    const { out, run, read } = await ownOutput();
    mkdirSync(out);
    const replace = (source?: string) =>
      run([newResult('Knight')], ['value'], source === undefined ? [] : [source], { overwrite: true });
    writeFileSync(join(out, 'Knight.value'), 'mine\n');
    replace();
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
    const picture = Buffer.from('89504e470d0a1a0a', 'hex');
    writeFileSync(join(out, 'Knight.value'), picture);
    expect(() => replace()).toThrow(expect.objectContaining({ code: 'output_is_picture' }));
    writeFileSync(join(out, 'Knight.value'), 'mine\n');
    expect(() => replace(join(out, 'Knight.value'))).toThrow(
      expect.objectContaining({ code: 'output_is_source' }),
    );
    expect(read('Knight.value')).toBe('mine\n');
  });

  test('stays when it is a link that leads nowhere', async () => {
    const { out, run } = await ownOutput();
    mkdirSync(out);
    symlinkSync(join(out, 'nowhere'), join(out, 'Knight.value'));
    expect(() => run([newResult('Knight')])).toThrow(expect.objectContaining({ code: 'output_exists' }));
    expect(readdirSync(out)).toEqual(['Knight.value']);
  });

  test('is replaced when it looks like the format and the lockfile is of a version that recorded no files', async () => {
    const { out, run, read } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, 'Knight.value'), `${'b'.repeat(200)}\n`);
    run([{ ...newResult('Knight'), record: {} }]);
    expect(read('Knight.value')).toBe('dmFsdWU=\n');
  });
});

describe('A result that cannot be written', () => {
  function failure(write: () => void): DeliveryError {
    try {
      write();
    } catch (error) {
      expect(error).toBeInstanceOf(DeliveryError);
      return error as DeliveryError;
    }
    throw new Error('It was written.');
  }

  test('fails only its own source when a folder is in its place', async () => {
    const { out, run } = await ownOutput();
    mkdirSync(join(out, 'Knight.value', 'deeper'), { recursive: true });
    const error = failure(() => run([resultOf('Knight')]));
    expect(error.code).toMatch(/^(eisdir|enotempty|eexist)$/);
    expect(error.message).toContain('cannot be written');
    expect(readdirSync(out)).toEqual(['Knight.value']);
  });

  test('fails only its own source when a file is where its folder should be', async () => {
    const { out, run } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, 'Heroes'), '');
    expect(failure(() => run([resultOf('Heroes/Knight')])).code).toMatch(/^(enotdir|eexist)$/);
  });

  test('fails only its own source when its name is too long', async () => {
    const { run } = await ownOutput();
    expect(failure(() => run([resultOf('x'.repeat(300))])).code).toBe('enametoolong');
  });

  test('fails only its own source when it would replace a source', async () => {
    const { out, run, read } = await ownOutput();
    mkdirSync(out);
    writeFileSync(join(out, 'Knight.json'), 'the source');
    const replace = () => run([resultOf('Knight')], ['json'], [join(out, 'Knight.json')]);
    expect(failure(replace).code).toBe('output_is_source');
    expect(read('Knight.json')).toBe('the source');
  });

  test('fails only its own source when no command can be made of the skin', async () => {
    const { out, run } = await ownOutput();
    const evil = makeSkin({ value: '"} run op me' });
    const error = failure(() => run([resultOf('Knight', evil)], ['give']));
    expect(error).toMatchObject({
      code: 'invalid_skin_data',
      message: expect.stringContaining('not base64'),
    });
    expect(readdirSync(out)).toEqual([]);
  });

  test('fails the whole batch when the folder cannot be created', async () => {
    const { out, run } = await ownOutput();
    writeFileSync(out, '');
    expect(() => run([])).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  });
});
