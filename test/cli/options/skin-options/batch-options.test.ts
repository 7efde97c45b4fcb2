import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  addBatchOptions,
  addOutputOptions,
  addSourceOptions,
  type TypedBatchOptions,
} from '../../../../src/cli/options/skin-options.ts';

describe('The options of a batch', () => {
  /** What a command line means; what it refuses is thrown, and nothing is printed. */
  function parsed(line: string): TypedBatchOptions {
    const command = addBatchOptions(
      addOutputOptions(addSourceOptions(new Command('generate').argument('[sources...]'))),
    );
    command.exitOverride().configureOutput({ writeErr: () => {} });
    command.parse(line === '' ? [] : line.split(' '), { from: 'user' });
    return command.opts();
  }

  test('have their default values when nothing is typed', () => {
    expect(parsed('')).toEqual({ verify: true });
  });

  test('are all read when they are typed', () => {
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

  test('have as many reports as are named', () => {
    expect(parsed('--report junit=r.xml --report html=a=b.html').report).toEqual([
      { kind: 'junit', path: 'r.xml' },
      { kind: 'html', path: 'a=b.html' },
    ]);
  });

  test.each(['html', 'html=', '=page.html', 'pdf=x', ''])('refuse a report like %j', (report) => {
    expect(() => parsed(`--report=${report}`)).toThrow('Give junit=FILE or html=FILE.');
  });

  test.each(['-1', '1.5', 'many', '1e3', '12345678901', '0x10'])('refuse %s as a whole number', (number) => {
    expect(() => parsed(`--max-new=${number}`)).toThrow('It must be a whole number, 0 or more.');
    expect(() => parsed(`--retries=${number}`)).toThrow('It must be a whole number, 0 or more.');
  });

  test('refuse an unknown kind of source', () => {
    expect(() => parsed('--as folder')).toThrow('file, url, user');
  });
});
