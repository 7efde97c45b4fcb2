import { describe, expect, test } from 'vitest';
import { register, runRetry } from '../../../src/cli/commands/retry.ts';
import type { JobSource } from '../../../src/cli/history/job-sources.ts';
import { contextWith } from '../../support/cli/client-context.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { makeSkin, refusal } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { testClient } from '../../support/client/test-client.ts';

describeParsing('retry', register, {
  taken: [
    [['1'], { jobs: ['1'] }],
    [['1', '2', '--wait'], { jobs: ['1', '2'], wait: true }],
  ],
  refused: [[[], /missing required argument 'job'/]],
});

const job = { id: 'new', status: 'waiting', timestamp: 0, source: 'skin.png' };
const taken = (id: string): Exchange => ({
  expect: `POST /v2/queue/${id}/retry`,
  status: 202,
  json: { success: true, job },
});
const refused = (id: string, code: 'job_not_found' | 'invalid_request', status: number): Exchange => ({
  expect: `POST /v2/queue/${id}/retry`,
  status,
  json: refusal(code),
});

async function commandWith(script: readonly Exchange[]) {
  const { client } = await testClient(script);
  const { context, out, err } = contextWith(client);
  const noted: [string, string][] = [];
  const jobSources = {
    sources: async () => new Map([['a', 'hat.png'], ...noted]),
    record: (jobs: readonly JobSource[]) =>
      void noted.push(...jobs.map(({ job, source }): [string, string] => [job, source])),
  };
  return { context: { ...context, jobSources } as unknown as typeof context, out, err, noted };
}

describe('retry', () => {
  test('prints the new jobs, with the source as it was typed here', async () => {
    const { context, out, noted } = await commandWith([taken('a'), taken('b')]);
    expect(await runRetry({ jobs: ['a', 'b'] }, context)).toBe(0);
    const row = (source: string) => `new\twaiting\t1970-01-01T00:00:00.000Z\t${source}\t\n`;
    expect(out()).toBe(row('hat.png') + row('skin.png'));
    expect(noted).toEqual([['new', 'hat.png']]);
  });

  test('goes on after a job that is unknown or has not failed', async () => {
    const script = [refused('x', 'job_not_found', 404), refused('y', 'invalid_request', 400), taken('b')];
    const { context, out, err } = await commandWith(script);
    expect(await runRetry({ jobs: ['x', 'y', 'b'] }, context)).toBe(1);
    expect([out().split('\t')[0], err()]).toEqual([
      'new',
      expect.stringMatching(/error: No: x\n.*\nerror: y: No\./),
    ]);
  });

  test('waits for the new jobs and prints their skins', async () => {
    const done = { ...job, status: 'completed', result: 'c'.repeat(32) };
    const { context, out } = await commandWith([
      taken('a'),
      { expect: 'GET /v2/queue/new', json: { success: true, job: done, skin: makeSkin() } },
    ]);
    expect(await runRetry({ jobs: ['a'], wait: true }, context)).toBe(0);
    expect(out()).toMatch(/^hat\.png\tcompleted\tnew\t/);
  });

  test('says so when the service does not offer it', async () => {
    const { context } = await commandWith([
      { expect: 'POST /v2/queue/a/retry', status: 404, text: '<html>' },
    ]);
    await expect(runRetry({ jobs: ['a', 'b'] }, context)).rejects.toMatchObject({ code: 'not_offered' });
  });
});
