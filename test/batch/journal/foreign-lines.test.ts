import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keyOf, recordOf } from '../../support/batch/journal-records.ts';
import { open, ownPath, reopened } from '../../support/batch/open-journal.ts';

describe('Foreign lines', () => {
  const foreign = [
    'hello',
    '{}',
    'null',
    '42',
    '{"k":"x","s":"nothing"}',
    '{"k":"x","s":"done","j":"j9","skin":{"uuid":"ab',
    '{"k":"x","s":"intent"}',
    '{"k":"x","s":"job","n":0,"j":7}',
    '{"journal":2,"nonce":"other"}',
    '{"journal":1,"nonce":"second"}',
    '\u0000\u0000\u0000',
    '',
    `"${'x'.repeat(300_000)}"`,
  ];

  test('are skipped, whatever precedes and follows them', async () => {
    const path = await ownPath();
    const journal = open(path);
    const idempotencyKey = journal.idempotencyKey(keyOf(1), 0);
    journal.done(recordOf(1));
    journal.close();
    appendFileSync(path, foreign.map((line) => `${line}\n`).join(''));
    const again = open(path);
    again.done(recordOf(2));
    const found = reopened(path, again);
    expect([1, 2].map((number) => found.readDone(keyOf(number)).skin.name)).toEqual(['Zoë 🙂 1', 'Zoë 🙂 2']);
    expect(found.stateOf('x')).toBeUndefined();
    expect(found.idempotencyKey(keyOf(1), 0)).toBe(idempotencyKey);
  });

  test('may come first', async () => {
    const path = await ownPath();
    open(path).close();
    writeFileSync(path, 'This was never a journal.\n');
    const journal = open(path);
    const idempotencyKey = journal.idempotencyKey(keyOf(1), 0);
    journal.intent(keyOf(1), 0, 1);
    const found = reopened(path, journal);
    expect(found.stateOf(keyOf(1))?.step).toBe('intent');
    expect(found.idempotencyKey(keyOf(1), 0)).toBe(idempotencyKey);
  });

  test('cut off by a kill do not damage the next line', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.done(recordOf(1));
    journal.close();
    appendFileSync(path, '{"k":"x","s":"int');
    const again = open(path);
    again.done(recordOf(2));
    for (const found of [again, reopened(path, again)])
      expect([1, 2].map((number) => found.readDone(keyOf(number)).k)).toEqual([keyOf(1), keyOf(2)]);
  });
});
