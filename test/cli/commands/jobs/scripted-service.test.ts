import { describe, expect, test } from 'vitest';
import { runJobs } from '../../../../src/cli/commands/jobs.ts';
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

test('A list of jobs that is cut says how many there are', async () => {
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
