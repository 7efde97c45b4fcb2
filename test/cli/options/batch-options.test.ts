import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addBatchOptions,
  addOutputOptions,
  addSourceOptions,
  joinReportWords,
  type TypedBatchOptions,
} from '../../../src/cli/options/batch-options.ts';

const RUNS = { numRuns: 300, seed: 20_251_121 };

const join = (line: string) => joinReportWords(line.split(' ')).join(' ');

describe('A report of two words', () => {
  test.each([
    ['generate skins --report html page.html', 'generate skins --report html=page.html'],
    ['--report junit r.xml --report html r.html x', '--report junit=r.xml --report html=r.html x'],
    ['--report html html', '--report html=html'],
    ['--report html a=b.html', '--report html=a=b.html'],
  ])('%s becomes %s', (line, joined) => {
    expect(join(line)).toBe(joined);
  });

  test.each([
    'generate skins',
    '--report html=page.html skins',
    '--report=html page.html',
    '--report',
    '--report html',
    '--report xml file.xml',
    '--reports html file.html',
    'html file.html',
  ])('is left as it is where there is none: %s', (line) => {
    expect(join(line)).toBe(line);
  });

  const word = fc.constantFrom('--report', '--out', 'html', 'junit', 'pdf', 'skins', '--', '');

  test('loses no word and joins no other, wherever it stands', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (argv) => {
        const words = joinReportWords(argv);
        const apart = words.flatMap((one) => /^(html|junit)=(.*)$/.exec(one)?.slice(1) ?? [one]);
        expect(apart).toEqual(argv);
        for (const [at, one] of words.entries())
          if (one.includes('=')) expect(words[at - 1]).toBe('--report');
      }),
      RUNS,
    );
  });
});

describe('The options of a batch', () => {
  /** What a command line means; what it refuses is thrown, and nothing is printed. */
  function parsed(line: string): TypedBatchOptions {
    const command = addBatchOptions(
      addOutputOptions(addSourceOptions(new Command('generate').argument('[sources...]'))),
    );
    command.exitOverride().configureOutput({ writeErr: () => {} });
    command.parse([...joinReportWords(line === '' ? [] : line.split(' '))], { from: 'user' });
    return command.opts();
  }

  test('are these when nothing is typed', () => {
    expect(parsed('')).toEqual({ verify: true });
  });

  test('are read', () => {
    const line =
      '-r --ignore a --ignore b --from x.csv --from - --as url --out o --lock l --dry-run --frozen --force ' +
      '--prune --max-new 0 --retries 3 --slots 4 --no-verify';
    expect(parsed(line)).toEqual({
      recursive: true,
      ignore: ['a', 'b'],
      from: ['x.csv', '-'],
      as: 'url',
      out: 'o',
      lock: 'l',
      dryRun: true,
      frozen: true,
      force: true,
      prune: true,
      maxNew: 0,
      retries: 3,
      slots: '4',
      verify: false,
    });
  });

  test('have as many reports as are named, in one word or two', () => {
    expect(parsed('--report junit=r.xml --report html a=b.html').report).toEqual([
      { kind: 'junit', path: 'r.xml' },
      { kind: 'html', path: 'a=b.html' },
    ]);
  });

  test.each(['html', 'html=', '=page.html', 'pdf=x', ''])('refuse a report like %j', (report) => {
    expect(() => parsed(`--report=${report}`)).toThrow('Give junit=FILE or html=FILE.');
  });

  test.each(['-1', '1.5', 'many', '1e3', '12345678901', '0x10'])('refuse %s as a whole number', (number) => {
    expect(() => parsed(`--max-new=${number}`)).toThrow('Give a whole number from 0.');
    expect(() => parsed(`--retries=${number}`)).toThrow('Give a whole number from 0.');
  });

  test('refuse a kind of source that there is not', () => {
    expect(() => parsed('--as folder')).toThrow('file, url, user');
  });
});
