import { describe, expect, it } from 'vitest';
import { ResultPrinter } from '../../../src/cli/output/result-printer.ts';
import { type ResultView, resultView } from '../../../src/cli/output/views.ts';
import { makeSkin } from '../../client/answers.ts';
import { testIo } from '../test-io.ts';

const skin = makeSkin({ uuid: 'uu1', name: 'Smith', variant: 'slim' });
const done = resultView({ source: 'a.png', job: 'j1', skin });
const second = resultView({ source: 'b.png', skin: makeSkin({ uuid: 'uu2', name: undefined }) });
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
    format: undefined,
    isList: results.length > 1,
    ...options,
  });
  for (const result of results) await printer.add(result);
  printer.end();
  expect(err()).toBe('');
  return out();
}

describe('results in a pipe', () => {
  it('are rows of eight columns, the failed ones too', async () => {
    const text = await print([done, failed, pending]);
    expect(text).toBe(`${ROW}c.png\tfailed\t\t\t\t\t\t\nd.png\twaiting\tj4\t\t\t\t\t\n`);
  });
});

describe('results on a terminal', () => {
  it('are readable', async () => {
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

  it('say how a job stands, and that a skin was known', async () => {
    const known = resultView({ source: 'a.png', skin: makeSkin({ duplicate: true }) });
    expect(await print([pending], {}, true)).toBe('• d.png  waiting\n');
    expect(await print([known], {}, true)).toMatch(/^✔ a\.png {2}classic, public, known already\n/);
  });

  it('are nothing for what failed: that is told on stderr', async () => {
    expect(await print([failed], {}, true)).toBe('');
  });

  it('act on nothing that a service sent', async () => {
    const evil = resultView({ source: 'a\u001b[2J.png', skin: makeSkin({ name: 'x\u001b]0;y\u0007\nz' }) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
    expect(await print([evil], {}, true)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe.each([true, false])('results as JSON (terminal: %s)', (isTTY) => {
  it('are one document for one source', async () => {
    expect(JSON.parse(await print([done], { json: true }, isTTY))).toEqual(DONE);
    expect(JSON.parse(await print([failed], { json: true }, isTTY))).toEqual(FAILED);
  });

  it('are one list for several, whatever became of each', async () => {
    const list = JSON.parse(await print([done, failed, pending], { json: true }, isTTY));
    expect(list).toEqual([DONE, FAILED, PENDING]);
  });

  it('are a list even of one, and of none, when several were asked for', async () => {
    expect(JSON.parse(await print([done], { json: true, isList: true }, isTTY))).toEqual([DONE]);
    expect(await print([], { json: true, isList: true }, isTTY)).toBe('[]\n');
  });

  it('are nothing when the one source gave no result at all', async () => {
    expect(await print([], { json: true }, isTTY)).toBe('');
  });

  it('are one line each as NDJSON, whether --json is there or not', async () => {
    for (const json of [true, false]) {
      const lines = (await print([done, failed], { ndjson: true, json }, isTTY)).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => JSON.parse(line))).toEqual([DONE, FAILED]);
    }
  });
});

describe('results in a format', () => {
  const property = { name: 'textures', value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };

  it('are the bare texts, a line for each skin, and nothing for what failed', async () => {
    expect(await print([done, failed, second], { format: 'value' })).toBe('dmFsdWU=\ndmFsdWU=\n');
    expect(await print([done], { format: 'signature' }, true)).toBe('c2lnbmF0dXJl\n');
  });

  it('are the property as the game profile has it', async () => {
    expect(JSON.parse(await print([done], { format: 'property' }))).toEqual(property);
  });

  it('are within the document as JSON, where a failure stays a failure', async () => {
    const list = await print([done, failed], { format: 'property', json: true });
    expect(JSON.parse(list)).toEqual([property, FAILED]);
    expect(JSON.parse(await print([done], { format: 'value', json: true }))).toBe('dmFsdWU=');
    expect(await print([done], { format: 'value', ndjson: true })).toBe('"dmFsdWU="\n');
  });

  it('are one line of JSON each with the format json', async () => {
    const lines = (await print([done, second], { format: 'json' })).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).uuid)).toEqual(['uu1', 'uu2']);
  });
});
