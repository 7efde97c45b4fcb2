import { describe, expect, test } from 'vitest';
import { CliError, EXIT_STATUSES, exitStatus, isInterruption } from '../../../src/cli/errors/exit.ts';

describe('the exit statuses', () => {
  test('never change, because scripts rely on them', () => {
    const statuses = Object.entries(EXIT_STATUSES).map(([name, { status }]) => [name, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      done: 0,
      failed: 1,
      usage: 2,
      toDo: 3,
      notAllowed: 4,
      refused: 5,
      pending: 8,
      tryLater: 75,
      hungUp: 129,
      interrupted: 130,
      closedPipe: 141,
      terminated: 143,
    });
  });

  test('are all different, and each says what it means', () => {
    const rows = Object.values(EXIT_STATUSES);
    expect(new Set(rows.map((row) => row.status)).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row.meaning)).size).toBe(rows.length);
    for (const { meaning } of rows) expect(meaning).toMatch(/^[a-z].+[a-z]$/);
  });

  test('are found by their names', () => {
    expect(exitStatus('tryLater')).toBe(75);
  });
});

describe('CliError', () => {
  test('means failure unless it says otherwise', () => {
    expect(new CliError('code', 'Message.')).toMatchObject({ code: 'code', exit: 'failed', hint: undefined });
  });
});

describe('isInterruption', () => {
  const rows: [what: string, error: unknown, isOne: boolean][] = [
    ['an abort', AbortSignal.abort().reason, true],
    ['a time-out', new DOMException('late', 'TimeoutError'), false],
    ['an error', new Error('AbortError'), false],
    ['what only looks like one', { name: 'AbortError' }, false],
    ['nothing', undefined, false],
  ];
  test.each(rows)('says whether %s is an interruption', (_, error, isOne) => {
    expect(isInterruption(error)).toBe(isOne);
  });
});
