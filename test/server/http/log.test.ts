import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { Log } from '../../../src/server/http/log.ts';

const source = { pid: process.pid, hostname: hostname() };

function logOf(level: 'silent' | 'warn') {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) };
  return { log: new Log({ level, stream, now: () => 5 }), lines };
}

test('A log writes a JSON line for each warning and error, and none for less', () => {
  const { log, lines } = logOf('warn');
  log.info({ url: 'x' }, 'started');
  log.warn('Careful.');
  log.error({ err: new TypeError('wrong', { cause: new Error('deeper') }) }, 'worker');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 40, time: 5, ...source, msg: 'Careful.' },
    {
      level: 50,
      time: 5,
      ...source,
      msg: 'worker',
      err: { type: 'TypeError', message: 'wrong', stack: expect.stringMatching(/wrong[\s\S]*deeper/) },
    },
  ]);
  expect(lines.every((line) => line.endsWith('\n'))).toBe(true);
});

test('A log shows no key', () => {
  const { log, lines } = logOf('warn');
  log.warn('Bearer abcdefgh and sksm_0123');
  expect(lines.join('')).not.toMatch(/abcdefgh|0123/);
});

test('A silent log writes nothing', () => {
  const { log, lines } = logOf('silent');
  log.error({ err: new Error('x') }, 'worker');
  expect(lines).toEqual([]);
});
