import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type JobsOptions, jobs, runJobs } from '../../../src/cli/commands/jobs.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** A service on which the caller has so many jobs, all waiting; their ids, newest first. */
async function withJobs(count: number) {
  const { owner, url, key, dataDir } = await runServer({ workers: 0 });
  const first = (await owner.upload('/v2/queue', skinPng(1))).body.job?.id ?? '';
  const { db } = await openOwnStore(dataDir);
  const { id: _, ...row } = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
  const rows = Array.from({ length: count - 1 }, () => ({
    ...row,
    uuid: randomUUID(),
    status: 'failed' as const,
  }));
  for (let at = 0; at < rows.length; at += 400)
    await db
      .insertInto('jobs')
      .values(rows.slice(at, at + 400))
      .execute();
  const run = (options: JobsOptions) =>
    runCommand((context) => runJobs(options, context), { url, key, flags: { quiet: false } });
  const ids = [first, ...rows.map(({ uuid }) => uuid)].toReversed();
  return { run, ids, client: new SkinClient({ baseUrl: url, apiKey: key }) };
}

const jobsIn = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t')[0]);

test('jobs shows the newest jobs, says that there are more, and shows all of them on request', async () => {
  const { run, ids } = await withJobs(1_100);
  const few = await run({});
  expect(jobsIn(few.out)).toEqual(ids.slice(0, 30));
  expect(few.err).toBe('Showing 30 of more than 500 jobs. To list all of them: --all\n');
  const more = await run({ limit: 700 });
  expect(jobsIn(more.out)).toEqual(ids.slice(0, 700));
  expect(more.err).toBe('Showing 700 of more than 1,000 jobs. To list all of them: --all\n');
  const known = await run({ limit: 1_050 });
  expect(known.err).toBe('Showing 1,050 of 1,100 jobs. To list all of them: --all\n');
  const all = await run({ all: true });
  expect([jobsIn(all.out), all.err]).toEqual([ids, '']);
});

test('jobs --status finds the one waiting job behind a thousand others', async () => {
  const { run, ids } = await withJobs(1_100);
  const { out, err } = await run({ status: 'waiting' });
  expect([jobsIn(out), err]).toEqual([[ids.at(-1)], '']);
});

test('jobs does not mention further jobs when there are none', async () => {
  const { run, ids } = await withJobs(30);
  const { out, err } = await run({});
  expect([jobsIn(out), err]).toEqual([ids, '']);
});

test('The client reads all jobs page by page', async () => {
  const { client, ids } = await withJobs(25);
  const seen = [];
  for await (const { id } of client.allJobs({ size: 10 })) seen.push(id);
  expect(seen).toEqual(ids);
  const page = await client.jobPage({ size: 10 });
  expect(page.jobs.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  expect((await client.jobPage({ size: 500, after: page.next })).next).toBeUndefined();
  await client.close();
});

describeParsing('jobs', jobs, {
  taken: [
    [[], {}],
    [['--status', 'unknown', '--limit', '5'], { status: 'unknown', limit: 5 }],
    [['--watch', '--status', 'failed'], { watch: true, status: 'failed' }],
  ],
  refused: [
    [['--watch', '--limit', '5'], /'--watch' cannot be used with option '--limit/],
    [['--status', 'active'], /Allowed choices are waiting, processing, completed, failed, unknown/],
    [['--limit', '0'], /whole number, 1 or more/],
    [['--limit', '-1'], /whole number, 1 or more/],
    [['--limit', '1.5'], /whole number, 1 or more/],
    [['--limit', 'all'], /whole number, 1 or more/],
    [['--limit', ''], /whole number, 1 or more/],
    [['one'], /too many arguments/],
  ],
});
