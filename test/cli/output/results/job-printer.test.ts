import { describe, expect, test } from 'vitest';
import { tableText } from '../../../../src/cli/output/described.ts';
import { JOB_TABLE, JobPrinter, type JobView, jobView } from '../../../../src/cli/output/results.ts';
import { testIo } from '../../../support/cli/test-io.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const one: JobView = jobView({ id: 'j1', status: 'waiting', timestamp: NOW - 90_000, eta: NOW }, 'a.png');
const other: JobView = jobView({ id: 'j22', status: 'completed', result: 'uu2' });
const ONE = {
  job: 'j1',
  status: 'waiting',
  createdAt: '2026-01-01T11:58:30.000Z',
  eta: '2026-01-01T12:00:00.000Z',
  source: 'a.png',
};
const OTHER = { job: 'j22', status: 'completed', uuid: 'uu2' };
const ROWS = 'j1\twaiting\t2026-01-01T11:58:30.000Z\ta.png\t\nj22\tcompleted\t\t\tuu2\n';

interface Shape {
  readonly json?: boolean;
  readonly ndjson?: boolean;
  readonly isList?: boolean;
  readonly isTTY?: boolean;
}

/** What is on stdout after each job, and at the end. */
async function print(jobs: readonly JobView[], { isTTY = false, ...shape }: Shape = {}): Promise<string[]> {
  const { io, out } = testIo({ outTTY: isTTY });
  const options = { json: false, ndjson: false, isList: jobs.length > 1, ...shape };
  const printer = new JobPrinter(io, options);
  const states: string[] = [];
  for (const job of jobs) {
    await printer.add(job);
    states.push(out());
  }
  printer.end();
  return [...states, out()];
}

describe('JobPrinter', () => {
  test('writes a row as each job is accepted', async () => {
    const [first, ...rest] = ROWS.split(/(?<=\n)/);
    expect(await print([one, other])).toEqual([first, ROWS, ROWS]);
    expect(rest).toHaveLength(1);
  });

  test('writes job, status and source on a terminal', async () => {
    const text = 'j1  waiting  a.png\n';
    expect(await print([one], { isTTY: true })).toEqual([text, text]);
  });

  test('lets no job id of a service act on the terminal', async () => {
    const evil = jobView({ id: 'j\u001b[2J1', status: 'waiting' }, 'a\nb.png');
    expect((await print([evil], { isTTY: true })).at(-1)).toBe('j1  waiting  a b.png\n');
  });

  test.each([true, false])('writes one JSON document, as jobs come (terminal: %s)', async (isTTY) => {
    const [first, , end] = await print([one, other], { json: true, isTTY });
    expect(JSON.parse(`${first}]`)).toEqual([ONE]);
    expect(JSON.parse(end!)).toEqual([ONE, OTHER]);
    expect(JSON.parse((await print([one], { json: true, isTTY })).at(-1)!)).toEqual(ONE);
    expect(JSON.parse((await print([one], { json: true, isTTY, isList: true })).at(-1)!)).toEqual([ONE]);
  });

  test('writes an empty list as []', async () => {
    expect(await print([], { json: true, isList: true })).toEqual(['[]\n']);
  });

  test.each([true, false])('writes NDJSON as jobs come (with --json: %s)', async (json) => {
    const states = await print([one, other], { ndjson: true, json });
    expect(JSON.parse(states[0]!)).toEqual(ONE);
    expect(
      states
        .at(-1)!
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual([ONE, OTHER]);
  });
});

describe('JOB_TABLE', () => {
  const clock = { now: () => NOW };

  test('is aligned under a header on a terminal', () => {
    const { io } = testIo({ outTTY: true });
    expect(tableText([one, other], JOB_TABLE, { io, clock })).toBe(
      ['JOB  STATUS     CREATED    SOURCE', 'j1   waiting    1 min ago  a.png', 'j22  completed', ''].join(
        '\n',
      ),
    );
  });

  test('is rows in a pipe', () => {
    expect(tableText([one, other], JOB_TABLE, { io: testIo().io, clock })).toBe(ROWS);
  });
});

describe('jobView', () => {
  test('prints a time that is no valid date as a number', () => {
    expect(jobView({ id: 'a', status: 'unknown', timestamp: 1e300 })).toEqual({
      job: 'a',
      status: 'unknown',
      createdAt: '1e+300',
    });
  });
});
