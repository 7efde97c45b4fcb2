import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Journal, type WorkState } from '../../src/batch/journal.ts';
import { keyOf, recordOf } from '../support/batch/journal-records.ts';
import { childProgram } from '../support/program/child-program.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { isWhole } from '../support/setup/whole-run.ts';

const APPEND_FOREVER = childProgram('append-forever');
const KILLS = isWhole ? 6 : 2;
/** Bytes from either end of a record at each of which it is cut, and from one cut to the next in between. */
const [NEAR, STEP] = isWhole ? [100, 17] : [15, 61];

async function ownPath(): Promise<string> {
  return join(await ownFolder(), 'batch.ndjson');
}

describe('A journal that was cut off', () => {
  const last: [what: string, write: (journal: Journal) => void][] = [
    ['an intent', (journal) => journal.intent(keyOf(3), 0, 1_234)],
    ['a job', (journal) => journal.accepted(keyOf(3), 0, 'j3')],
    ['a result', (journal) => journal.done(recordOf(3))],
    ['a failure', (journal) => journal.failed({ k: keyOf(3), code: 'a_code', message: 'Zoë 🙂 {}.' })],
    ['a refusal', (journal) => journal.refused(keyOf(3))],
    ['an end', (journal) => journal.end()],
  ];

  /** A journal with two pieces of work and this last record. @returns where the record begins */
  async function withLast(write: (journal: Journal) => void) {
    const path = await ownPath();
    const journal = Journal.open(path);
    journal.done(recordOf(1));
    journal.accepted(keyOf(2), 0, 'j2');
    const from = statSync(path).size;
    write(journal);
    journal.close();
    return { path, from, to: statSync(path).size };
  }

  function verifyEarlier(journal: Journal): void {
    expect(journal.readDone(keyOf(1))).toEqual({ s: 'done', ...recordOf(1) });
    expect(journal.stateOf(keyOf(2))).toEqual({ step: 'job', attempt: 0, job: 'j2' });
  }

  /** What is known of the last work; that it can be read where it is said to be there. */
  function lastState(journal: Journal): WorkState['step'] | undefined {
    const step = journal.stateOf(keyOf(3))?.step;
    if (step === 'done') expect(journal.readDone(keyOf(3))).toEqual({ s: 'done', ...recordOf(3) });
    return step;
  }

  /** Where to cut: at every byte near both ends, which are of another kind each, and at some in the middle. */
  function* cutsBetween(from: number, to: number): Generator<number> {
    for (let size = from; size < to; size += size < from + NEAR || size >= to - NEAR ? 1 : STEP) yield size;
  }

  test.each(last)('at any byte of %s keeps everything before it, and can be resumed', async (_, write) => {
    const { path, from, to } = await withLast(write);
    const whole = readFileSync(path);
    for (const size of cutsBetween(from, to)) {
      const where = `cut after ${size - from} of ${to - from} bytes`;
      writeFileSync(path, whole.subarray(0, size));
      const cut = Journal.open(path);
      verifyEarlier(cut);
      const state = lastState(cut);
      if (size < to - 1) expect(state, where).toBeUndefined();
      cut.done(recordOf(4));
      cut.close();
      const again = Journal.open(path);
      verifyEarlier(again);
      expect(again.readDone(keyOf(4))).toEqual({ s: 'done', ...recordOf(4) });
      expect(() => lastState(again), where).not.toThrow();
      expect(lastState(again), where).toBe(state);
      again.close();
    }
  });

  test('at any byte of its first line is known to have lost its content, even after new entries', async () => {
    const path = await ownPath();
    const whole = Journal.open(path);
    whole.idempotencyKey(keyOf(1), 0);
    expect(() => whole.verifyIntact()).not.toThrow();
    whole.close();
    const header = readFileSync(path);
    for (let size = 0; size < header.length; size++) {
      writeFileSync(path, header.subarray(0, size));
      const cut = Journal.open(path);
      cut.done(recordOf(1));
      cut.close();
      const again = Journal.open(path);
      expect(again.readDone(keyOf(1)).k).toBe(keyOf(1));
      expect(() => again.verifyIntact()).toThrow(`${path}: The journal of this batch has lost its content`);
      again.close();
    }
  });
});

describe('A process that is killed', () => {
  /** Lets it run until it has said so many numbers, kills it, and answers the last number that it said. */
  async function runAndKill(path: string, first: number, count: number): Promise<number> {
    const child = execa(process.execPath, [APPEND_FOREVER, path, String(first)], {
      reject: false,
      buffer: false,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = first - 1;
    for await (const line of child) {
      said = Number(line);
      if (said >= first + count) child.kill('SIGKILL');
    }
    expect((await child).signal).toBe('SIGKILL');
    return said;
  }

  /** Whether all that was said from one number to another is in the journal. */
  function verifyWritten(path: string, from: number, to: number): void {
    const journal = Journal.open(path);
    for (let number = from; number <= to; number++) {
      expect(journal.readDone(keyOf(number))).toEqual({ s: 'done', ...recordOf(number) });
      expect(journal.isOwnJob(`job ${number}`)).toBe(true);
    }
    journal.close();
  }

  test('loses nothing that it reported as written, however often it is killed', async () => {
    const path = await ownPath();
    let first = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const said = await runAndKill(path, first, 20 + 37 * kill);
      verifyWritten(path, first, said);
      first = said + 1;
    }
    verifyWritten(path, 0, first - 1); // what a later run lost of an earlier one stays lost
    expect(first).toBeGreaterThan(20 * KILLS);
  });
});
