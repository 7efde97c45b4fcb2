import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { finishedSkin } from '../../../../src/batch/model.ts';
import { ResultPrinter, type ResultView, resultView } from '../../../../src/cli/output/results.ts';
import { makePicture } from '../../../../src/skin/picture.ts';
import { testIo } from '../../../support/cli/test-io.ts';
import { makeSkin } from '../../../support/client/answers.ts';

const finished = (overrides: Parameters<typeof makeSkin>[0] = {}) => finishedSkin(makeSkin(overrides));

const skin = finished({ uuid: 'uu1', name: 'Smith', variant: 'slim' });
const done = resultView({ source: 'a.png', job: 'j1', skin });
const second = resultView({ source: 'b.png', skin: finished({ uuid: 'uu2', name: undefined }) });
const failed = resultView({ source: 'c.png', error: { code: 'invalid_image', message: 'Broken.' } });
const pending = resultView({ source: 'd.png', job: 'j4', status: 'waiting' });

/** What each view is as JSON: every field is a promise. */
const DONE = {
  source: 'a.png',
  status: 'completed',
  job: 'j1',
  uuid: 'uu1',
  name: 'Smith',
  variant: 'slim',
  visibility: 'public',
  value: 'dmFsdWU=',
  signature: 'c2lnbmF0dXJl',
  texture: { url: 'http://textures.example/texture/aa11', hash: 'aa11' },
  duplicate: false,
  warnings: [],
};
const FAILED = {
  source: 'c.png',
  status: 'failed',
  warnings: [],
  error: { code: 'invalid_image', message: 'Broken.' },
};
const PENDING = { source: 'd.png', status: 'waiting', job: 'j4', warnings: [] };
const ROW = 'a.png\tcompleted\tj1\tuu1\tslim\tdmFsdWU=\tc2lnbmF0dXJl\thttp://textures.example/texture/aa11\n';

type Options = ConstructorParameters<typeof ResultPrinter>[1];

async function print(
  results: readonly ResultView[],
  options: Partial<Options> = {},
  isTTY = false,
): Promise<string> {
  const { io, out, err } = testIo({ outTTY: isTTY });
  const printer = new ResultPrinter(io, {
    json: false,
    ndjson: false,
    formats: undefined,
    isList: results.length > 1,
    ...options,
  });
  for (const result of results) await printer.add(result);
  printer.end();
  expect(err()).toBe('');
  return out();
}

/** What is on stdout after each of the results, which come with these positions. */
async function printOutOfOrder(
  results: readonly [ResultView, position: number][],
  options: Partial<Options>,
) {
  const { io, out } = testIo();
  const printer = new ResultPrinter(io, {
    json: false,
    ndjson: false,
    formats: undefined,
    isList: true,
    ...options,
  });
  const texts: string[] = [];
  for (const [result, position] of results) {
    await printer.add(result, position);
    texts.push(out());
  }
  printer.end();
  return { texts, all: out() };
}

describe('results in a pipe', () => {
  test('are rows of eight columns, even the failed ones', async () => {
    const text = await print([done, failed, pending]);
    expect(text).toBe(`${ROW}c.png\tfailed\t\t\t\t\t\t\nd.png\twaiting\tj4\t\t\t\t\t\n`);
  });
});

describe('results on a terminal', () => {
  test('are readable', async () => {
    expect(await print([done], {}, true)).toBe(
      [
        '✔ a.png  slim, public',
        '  uuid      uu1',
        '  name      Smith',
        '  texture   http://textures.example/texture/aa11',
        '  value     dmFsdWU=',
        '  signature c2lnbmF0dXJl',
        '',
      ].join('\n'),
    );
  });

  test('shorten value and signature, which a pipe and --format print whole', async () => {
    const [value, signature] = ['v'.repeat(600), 's'.repeat(684)];
    const long = { ...done, value, signature };
    const text = await print([long], {}, true);
    expect(text).toMatch(/^ {2}value {5}v{47}…\n {2}signature s{47}…$/m);
    for (const whole of [await print([long]), await print([long], { formats: ['property'] }, true)])
      expect(whole).toContain(value);
  });

  test('have a picture beside them where the terminal shows one', async () => {
    const picture = makePicture(2, 4);
    const terminal = { style: 'blocks', depth: 24, columns: 60 } as const;
    const pictures = { terminal, pictureOf: async () => picture };
    const lines = (await print([done], { pictures }, true)).split('\n').map(stripVTControlCharacters);
    expect(lines.slice(0, 3)).toEqual([
      '    ✔ a.png  slim, public',
      '      uuid      uu1',
      '  name      Smith',
    ]);
    const without = { pictures: { terminal, pictureOf: async () => undefined } };
    expect(await print([done], without, true)).toBe(await print([done], {}, true));
    expect(await print([done], { pictures }, false)).toBe(ROW);
  });

  test('show the status of a job, and that a skin was known', async () => {
    const known = resultView({ source: 'a.png', skin: finished({ duplicate: true }) });
    expect(await print([pending], {}, true)).toBe('• d.png  waiting\n');
    expect(await print([known], {}, true)).toMatch(/^✔ a\.png {2}classic, public, already known\n/);
  });

  test('do not say that a skin is known when it was requested by name', async () => {
    const named = resultView({ source: 'Test Skin', skin: finished({ duplicate: true }) });
    expect(await print([named], {}, true)).toMatch(/^✔ Test Skin {2}classic, public\n/);
  });

  test('leave out failures, which are reported on stderr', async () => {
    expect(await print([failed], {}, true)).toBe('');
  });

  test('contain nothing from a service that a terminal would act on', async () => {
    const evil = resultView({ source: 'a\u001b[2J.png', skin: finished({ name: 'x\u001b]0;y\u0007\nz' }) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
    expect(await print([evil], {}, true)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe.each([true, false])('results as JSON (terminal: %s)', (isTTY) => {
  test('are one document for one source', async () => {
    expect(JSON.parse(await print([done], { json: true }, isTTY))).toEqual(DONE);
    expect(JSON.parse(await print([failed], { json: true }, isTTY))).toEqual(FAILED);
  });

  test('are one list for several sources, whatever the result of each', async () => {
    const list = JSON.parse(await print([done, failed, pending], { json: true }, isTTY));
    expect(list).toEqual([DONE, FAILED, PENDING]);
  });

  test('are a list even for one or no result when several were requested', async () => {
    expect(JSON.parse(await print([done], { json: true, isList: true }, isTTY))).toEqual([DONE]);
    expect(await print([], { json: true, isList: true }, isTTY)).toBe('[]\n');
  });

  test('do not say whether a skin was new if that is unknown', async () => {
    const { duplicate: _, ...locked } = skin;
    const { duplicate: __, ...expected } = DONE;
    const view = resultView({ source: 'a.png', job: 'j1', skin: locked });
    expect(JSON.parse(await print([view], { json: true }, isTTY))).toEqual(expected);
  });

  test('are empty when the only source gave no result', async () => {
    expect(await print([], { json: true }, isTTY)).toBe('');
  });

  test('are one line each as NDJSON, whether --json is there or not', async () => {
    for (const json of [true, false]) {
      const lines = (await print([done, failed], { ndjson: true, json }, isTTY)).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => JSON.parse(line))).toEqual([DONE, FAILED]);
    }
  });
});

describe('results that arrive in another order than their sources', () => {
  test('are a JSON list in the order of the sources, written as soon as it can be', async () => {
    const { texts, all } = await printOutOfOrder(
      [
        [failed, 2],
        [done, 0],
        [pending, 1],
      ],
      { json: true },
    );
    expect(texts[0]).toBe('');
    expect(texts[1]).toContain('"uu1"');
    expect(texts[1]).not.toContain('invalid_image');
    expect(JSON.parse(all)).toEqual([DONE, PENDING, FAILED]);
  });

  test.each<[what: string, options: Partial<Options>]>([
    ['rows', {}],
    ['NDJSON', { ndjson: true }],
    ['texts', { formats: ['property'] }],
  ])('are printed as %s in the order in which they come', async (_, options) => {
    const { texts, all } = await printOutOfOrder(
      [
        [second, 1],
        [done, 0],
      ],
      options,
    );
    expect([texts[0], all]).toEqual([await print([second], options), await print([second, done], options)]);
  });
});

describe('results in a format', () => {
  const property = { name: 'textures', value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };

  test('are bare texts, a line for each skin, and nothing for failures', async () => {
    expect(await print([done, failed, second], { formats: ['value'] })).toBe('dmFsdWU=\ndmFsdWU=\n');
    expect(await print([done], { formats: ['signature'] }, true)).toBe('c2lnbmF0dXJl\n');
  });

  test('are the property as the game profile has it', async () => {
    expect(JSON.parse(await print([done], { formats: ['property'] }))).toEqual(property);
  });

  test('are part of the document with --json, in which failures stay failures', async () => {
    const list = await print([done, failed], { formats: ['property'], json: true });
    expect(JSON.parse(list)).toEqual([property, FAILED]);
    expect(JSON.parse(await print([done], { formats: ['value'], json: true }))).toBe('dmFsdWU=');
    expect(await print([done], { formats: ['value'], ndjson: true })).toBe('"dmFsdWU="\n');
  });

  test('are one line of JSON each with the format json', async () => {
    const lines = (await print([done, second], { formats: ['json'] })).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).uuid)).toEqual(['uu1', 'uu2']);
  });

  test('are commands, a line for each skin, and files of plugins as JSON', async () => {
    const lines = (await print([done, failed, second], { formats: ['give'] })).split('\n');
    expect(lines.map((line) => line.slice(0, 31))).toEqual([
      ...Array<string>(2).fill('give @p minecraft:player_head[p'),
      '',
    ]);
    expect(lines[0]).toContain('custom_name={text:"Smith",italic:false}');
    expect(JSON.parse(await print([done], { formats: ['skinsrestorer'] }, true)).skinName).toBe('smith');
  });

  test('are printed in all of several formats for each skin, in the order of the formats', async () => {
    const text = await print([done, failed, second], { formats: ['signature', 'property'] });
    const line = `c2lnbmF0dXJl\n${JSON.stringify(property)}\n`;
    expect(text).toBe(line + line);
  });

  test('are one JSON object with the names of the formats, if there are several', async () => {
    const formats: Options['formats'] = ['value', 'property', 'json'];
    const expected = { source: 'a.png', value: 'dmFsdWU=', property, json: DONE };
    expect(JSON.parse(await print([done], { formats, json: true }))).toEqual(expected);
    expect(JSON.parse(await print([done], { formats, ndjson: true }))).toEqual(expected);
    expect(JSON.parse(await print([done, failed], { formats, json: true }))).toEqual([expected, FAILED]);
  });

  test('are one object without a source if the skin has none', async () => {
    const view = resultView({ source: undefined, skin });
    const text = await print([view], { formats: ['value', 'signature'], json: true });
    expect(JSON.parse(text)).toEqual({ value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' });
  });
});
