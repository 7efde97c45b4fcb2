import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { retry, runRetry } from '../../../../src/cli/commands/jobs.ts';
import type { JobSource, SentSource } from '../../../../src/cli/history.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { makeSkin, refusal } from '../../../support/client/answers.ts';
import type { Exchange } from '../../../support/client/scripted-server.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('retry', retry, {
  taken: [
    [['1'], ['1'], {}],
    [['1', '2', '--wait'], ['1', '2'], { wait: true }],
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

/** `sent`: what this machine knows of the job `a`, besides its source. */
async function commandWith(script: readonly Exchange[], sent?: SentSource) {
  const { client, server } = await testClient(script);
  const { context, out, err } = contextWith(client, { errTTY: true });
  const noted: JobSource[] = [{ job: 'a', source: 'hat.png', sent }];
  const jobSources = {
    sources: async () => new Map(noted.map(({ job, source }) => [job, source])),
    of: async (id: string) => noted.find(({ job }) => job === id),
    record: (jobs: readonly JobSource[]) => void noted.push(...jobs),
  };
  const full = { ...context, jobSources } as unknown as typeof context;
  return { context: full, out, err, noted, server };
}

describe('retry', () => {
  test('prints the new jobs, with the source as it was typed here', async () => {
    const { context, out, noted } = await commandWith([taken('a'), taken('b')]);
    expect(await runRetry(['a', 'b'], {}, context)).toBe(0);
    const row = (source: string) => `new\twaiting\t1970-01-01T00:00:00.000Z\t${source}\t\n`;
    expect(out()).toBe(row('hat.png') + row('skin.png'));
    expect(noted.at(-1)).toEqual({ job: 'new', source: 'hat.png' });
  });

  test('continues after a job that is unknown or has not failed', async () => {
    const script = [refused('x', 'job_not_found', 404), refused('y', 'invalid_request', 400), taken('b')];
    const { context, out, err } = await commandWith(script);
    expect(await runRetry(['x', 'y', 'b'], {}, context)).toBe(1);
    expect([out().split('\t')[0], err()]).toEqual([
      'new',
      expect.stringMatching(/error: No job x\.\n.*\nerror: y: No\./),
    ]);
  });

  test('waits for the new jobs and prints their skins', async () => {
    const done = { ...job, status: 'completed', result: 'c'.repeat(32) };
    const { context, out } = await commandWith([
      taken('a'),
      { expect: 'GET /v2/queue/new', json: { success: true, job: done, skin: makeSkin() } },
    ]);
    expect(await runRetry(['a'], { wait: true }, context)).toBe(0);
    expect(out()).toMatch(/^hat\.png\tcompleted\tnew\t/);
  });
});

describe('retry at a service that cannot retry', () => {
  const unable: Exchange = { expect: 'POST /v2/queue/a/retry', status: 404, text: '<html>' };
  const state = (status: string): Exchange => ({
    expect: 'GET /v2/queue/a',
    json: { success: true, job: { ...job, id: 'a', status } },
  });
  const options = { name: 'hat', variant: 'slim', visibility: 'unlisted' } as const;

  test('submits a file of this machine again, as it was sent', async () => {
    const content = { kind: 'file', path: resolve('examples/ranger-slim.png') } as const;
    const script: Exchange[] = [
      unable,
      state('failed'),
      { expect: 'POST /v2/queue', status: 202, json: { success: true, job } },
    ];
    const sent = { content, options };
    const { context, out, err, noted, server } = await commandWith(script, sent);
    expect(await runRetry(['a'], {}, context)).toBe(0);
    expect(out()).toBe('new\twaiting\t1970-01-01T00:00:00.000Z\that.png\t\n');
    expect(err()).toContain('This service cannot retry jobs. Submitting hat.png again.');
    expect(noted.at(-1)).toEqual({ job: 'new', source: 'hat.png', sent });
    const body = server.seen.at(-1)?.body.toString('latin1');
    for (const part of ['slim', 'unlisted', 'hat', 'PNG']) expect(body).toContain(part);
  });

  test('submits URLs again', async () => {
    const url = 'https://example.org/hat.png';
    const script: Exchange[] = [
      unable,
      state('failed'),
      { expect: 'POST /v2/queue', status: 202, json: { success: true, job } },
    ];
    const { context, server } = await commandWith(script, { content: { kind: 'url', url }, options });
    expect(await runRetry(['a'], {}, context)).toBe(0);
    expect(JSON.parse(String(server.seen.at(-1)?.body))).toEqual({ ...options, url });
  });

  test('does not submit a job twice that has not failed', async () => {
    const sent = { content: { kind: 'url', url: 'https://example.org/hat.png' }, options } as const;
    const { context, err } = await commandWith([unable, state('processing')], sent);
    expect(await runRetry(['a'], {}, context)).toBe(1);
    expect(err()).toContain('Only failed jobs can be retried; this one is processing.');
  });

  test('reports the missing file of a job', async () => {
    const sent = { content: { kind: 'file', path: resolve('no/such/hat.png') }, options } as const;
    const { context, err } = await commandWith([unable, state('failed')], sent);
    expect(await runRetry(['a'], {}, context)).toBe(1);
    expect(err()).toMatch(/error: .*hat\.png/);
  });

  test('asks the service only once, and reports each job whose picture is unknown', async () => {
    const { context, err } = await commandWith([unable]);
    expect(await runRetry(['a', 'b'], {}, context)).toBe(1);
    expect(err().match(/error: (\w: )?This service cannot retry jobs\./g)).toHaveLength(2);
  });
});
