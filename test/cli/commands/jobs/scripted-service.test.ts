import { describe, expect, test } from 'vitest';
import { runJobs, runRetry, status } from '../../../../src/cli/commands/jobs.ts';
import type { CommandContext } from '../../../../src/cli/context/context.ts';
import { CLOSED_PIPE } from '../../../../src/cli/errors/exit.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { webServer } from '../../../support/server/web-server.ts';

describe('Watching jobs', () => {
  const watch = async (context: CommandContext) => await runJobs({ watch: true }, context);

  test.each([
    ['ends well when it is interrupted', undefined, 0],
    ['ends as an error when its reader has gone', CLOSED_PIPE, undefined],
  ])('%s', async (_, reason, status) => {
    const stop = new AbortController();
    const { url } = await webServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"jobs":[]}');
      setImmediate(() => stop.abort(reason));
    });
    expect((await runCommand(watch, { url, signal: stop.signal })).status).toBe(status);
  });
});

test('A shortened list of jobs says how many jobs there are', async () => {
  const job = (id: number) => ({ id: `job-${id}`, status: 'completed', timestamp: id });
  const jobs = Array.from({ length: 5 }, (_, id) => job(id));
  const { url } = await webServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, jobs }));
  });
  const list = async (limit: number) =>
    await runCommand(async (context) => await runJobs({ limit }, context), { url, flags: { quiet: false } });
  expect((await list(2)).err).toBe('Showing 2 of 5 jobs. To list all of them: --all\n');
  expect((await list(5)).err).toBe('');
});

/** A service with jobs in these states, and refusals of everything else. */
async function serviceWith(jobs: Readonly<Record<string, string>>) {
  return await webServer((request, response) => {
    const [, id = ''] = /^\/v2\/queue\/([^/]+)/.exec(request.url ?? '') ?? [];
    const job = { id, status: jobs[id] ?? '', timestamp: 0 };
    response.writeHead(job.status ? 200 : 401, { 'content-type': 'application/json' });
    const errors = [{ code: 'invalid_api_key', message: 'Not with this key.' }];
    response.end(JSON.stringify(job.status ? { success: true, job } : { success: false, errors }));
  });
}

test.each<[what: string, run: (context: CommandContext) => Promise<number>]>([
  ['The list of job status', async (context) => await status.run(['a', 'refused'], {}, context)],
  ['The list of job retry', async (context) => await runRetry(['a', 'refused'], {}, context)],
])('%s is complete JSON even if the second job is refused', async (_, run) => {
  const { url } = await serviceWith({ a: 'waiting' });
  const { out, told } = await runCommand(run, { url, flags: { json: true } });
  expect([told?.code, JSON.parse(out)]).toMatchObject(['invalid_api_key', [{ job: 'a' }]]);
});

test("Waiting for a job ends with the service's error if it fails", async () => {
  let looks = 0;
  const { url } = await webServer((_request, response) => {
    const isFirst = looks++ === 0;
    response.writeHead(isFirst ? 200 : 401, { 'content-type': 'application/json' });
    const errors = [{ code: 'invalid_api_key', message: 'Not with this key.' }];
    const job = { id: 'a', status: 'waiting', timestamp: 0 };
    response.end(JSON.stringify(isFirst ? { success: true, job } : { success: false, errors }));
  });
  const wait = async (context: CommandContext) => await status.run(['a'], { wait: true }, context);
  expect((await runCommand(wait, { url })).told?.code).toBe('invalid_api_key');
});
