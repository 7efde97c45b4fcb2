import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { freshMachine, type Machine, saying } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { type HeardEvent, idOf, statusOf } from '../support/server/event-reader.ts';
import { jobAt } from '../support/server/job-at.ts';
import { plansFile } from '../support/server/plans.ts';
import { poll } from '../support/server/poll.ts';
import { TestCaller } from '../support/server/test-caller.ts';

interface LogLine {
  readonly pid: number;
  readonly msg: string;
  readonly process?: number;
  readonly signal?: string;
  readonly path?: string;
}

/** A service of two processes, and what it has logged so far. */
async function serveTwo(machine: Machine, args: readonly string[] = []) {
  const own = ['serve', '--port', '0', '--json', '--processes', '2', '--requests-per-minute', '100000'];
  const child = machine.start([...own, ...args]);
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const { url, key } = JSON.parse(await saying(child, 'stdout', /\n/)) as { url: string; key: string };
  const log = () => text.split('\n').flatMap((line) => (line.startsWith('{') ? [parsed(line)] : []));
  const pids = () => log().flatMap(({ msg, pid }) => (msg === 'started' ? [pid] : []));
  await poll(pids, ({ length }) => length === 2);
  const caller = (other = key) => new TestCaller(url, { key: other, dataDir: machine.folder });
  return { url, key, child, caller, log, pids, text: () => text };
}

type Serving = Awaited<ReturnType<typeof serveTwo>>;

async function ended({ child }: Serving): Promise<number | undefined> {
  child.kill('SIGTERM');
  return (await child).exitCode;
}

/** A line whose end is not there yet counts as none. */
function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { pid: 0, msg: '' };
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function newKeys(serving: Serving, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `user-${n}`);
  const made = await Promise.all(names.map((user) => serving.caller().json('/v2/account/keys', { user })));
  return made.map(({ body }) => String(body.key?.secret));
}

/** The value of one line of the metrics, as any of the processes answers. */
async function metric(serving: Serving, line: string): Promise<number> {
  const text = (await serving.caller().get('/metrics')).bytes.toString('utf8');
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length),
  );
}

function ask(dataDir: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(dataDir, 'skinsmith.db'));
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

function answeredBy(serving: Serving, asked: string): Set<number> {
  return new Set(serving.log().flatMap(({ path, pid }) => (path === asked ? [pid] : [])));
}

/** Event streams on both processes report every job, whichever process made it. */
async function expectEventsOfBoth(serving: Serving): Promise<void> {
  const streams = [await serving.caller().events(), await serving.caller().events()];
  for (const n of [1, 2, 3, 4]) {
    const { body } = await serving.caller().upload('/v2/queue', skinPng(n));
    const completed = (event: HeardEvent) => idOf(event) === body.job?.id && statusOf(event) === 'completed';
    for (const stream of streams)
      await poll(
        () => stream.events,
        (heard) => heard.some(completed),
      );
  }
}

/** Sixteen uploads at the same instant. */
async function sixteen(caller: () => TestCaller) {
  return await Promise.all(Array.from({ length: 16 }, (_, n) => caller().upload('/v2/queue', skinPng(n))));
}

test('Two processes serve on one port, tell of the jobs of both, and stop at SIGTERM with the exit status of one', async () => {
  const machine = await freshMachine();
  const serving = await serveTwo(machine, ['--workers', '2']);
  for (let n = 0; n < 4; n++) expect((await serving.caller().get('/ready')).status).toBe(200);
  expect((await serving.caller().get('/v2/me')).body.name).toBe('owner');
  await expectEventsOfBoth(serving);
  serving.child.kill('SIGTERM');
  const { exitCode, stdout } = await serving.child;
  expect([exitCode, stdout]).toEqual([0, `${JSON.stringify({ url: serving.url, key: serving.key })}\n`]);
  expect(serving.pids()).toHaveLength(2);
  expect(answeredBy(serving, '/ready')).toEqual(new Set(serving.pids()));
  const stopped = serving.log().flatMap(({ msg, pid }) => (msg === 'stopped' ? [pid] : []));
  expect(stopped.toSorted()).toEqual(serving.pids().toSorted());
  expect(serving.text().match(/Finishing running jobs/g)).toHaveLength(1);
});

test('What keeps one process from starting is said once, with its exit status', async () => {
  const machine = await freshMachine();
  const { exitCode, stdout, stderr } = await machine.start([
    'serve',
    '--processes',
    '2',
    '--plans',
    join(machine.folder, 'none.json'),
  ]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(String(stderr).match(/^error: /gm)).toHaveLength(1);
});

test('Limits hold over both processes: of spots at the same instant, and of jobs per minute', async () => {
  const plans = await plansFile({ free: { queue: 50, per_minute: 7 } });
  const serving = await serveTwo(await freshMachine(), ['--workers', '0', '--plans', plans]);
  const answers = await sixteen(() => serving.caller());
  const outcomes = answers.map(({ status, body }) => `${status} ${body.errors?.[0]?.code ?? ''}`.trim());
  expect(outcomes.toSorted()).toEqual([
    ...Array.from({ length: 5 }, () => '202'),
    ...Array.from({ length: 11 }, () => '429 job_limit'),
  ]);
  const asked = () => serving.log().filter(({ path }) => path === '/v2/queue');
  await poll(asked, ({ length }) => length === 16);
  expect(answeredBy(serving, '/v2/queue')).toEqual(new Set(serving.pids()));

  const [key] = await newKeys(serving, 1);
  const ofUser = await sixteen(() => serving.caller(key));
  expect(ofUser.filter(({ status }) => status === 202)).toHaveLength(7);
});

test('A process killed under load loses no job; another takes its place', async () => {
  const machine = await freshMachine();
  const serving = await serveTwo(machine, ['--pace', '300', '--workers', '4']);
  const keys = await newKeys(serving, 6);
  const queued = await Promise.all(
    keys.flatMap((key, user) =>
      Array.from({ length: 5 }, (_, n) => serving.caller(key).upload('/v2/queue', skinPng(user * 5 + n))),
    ),
  );
  expect(queued.map(({ status }) => status)).toEqual(queued.map(() => 202));
  const [, victim] = serving.pids();
  await poll(
    () => ask(machine.dataDir, `select 1 from jobs where lease_owner like '%/${victim}/%'`),
    ({ length }) => length > 0,
  );
  process.kill(victim!, 'SIGKILL');
  await poll(serving.pids, ({ length }) => length === 3);
  expect(serving.log()).toContainEqual(expect.objectContaining({ process: victim, signal: 'SIGKILL' }));
  for (const [index, { body }] of queued.entries()) {
    await jobAt(serving.caller(keys[Math.floor(index / 5)]!), body.job?.id, 'completed');
  }
  expect(await metric(serving, 'skinsmith_processes')).toBe(2);
  expect(await ended(serving)).toBe(0);
  expect(
    ask(machine.dataDir, 'select status, count(*) as n, count(distinct skin_uuid) as skins from jobs'),
  ).toEqual([{ status: 'completed', n: 30, skins: 30 }]);
});

test('Sums of all processes do not fall when one dies, nor does the port change when all do', async () => {
  const serving = await serveTwo(await freshMachine());
  for (let n = 0; n < 10; n++) await serving.caller().get('/v2/me');
  const me = 'skinsmith_http_requests_total{route="/v2/me",method="GET",status="200"}';
  for (let n = 0; n < 2; n++) expect(await metric(serving, me)).toBe(10);
  expect(await metric(serving, 'skinsmith_processes')).toBe(2);
  process.kill(serving.pids()[1]!, 'SIGKILL');
  await poll(serving.pids, ({ length }) => length === 3);
  expect(await metric(serving, me)).toBe(10);
  await serving.caller().get('/v2/me');
  expect(await metric(serving, me)).toBe(11);

  for (const pid of serving.pids().filter(isAlive)) process.kill(pid, 'SIGKILL');
  await poll(
    () =>
      serving
        .caller()
        .get('/ready')
        .catch(() => undefined),
    (answer) => answer?.status === 200,
  );
  expect(await ended(serving)).toBe(0);
});

test('A second SIGTERM ends all processes at once', async () => {
  const machine = await freshMachine();
  const serving = await serveTwo(machine, ['--pace', '60000']);
  const { body } = await serving.caller().upload('/v2/queue', skinPng(1));
  await jobAt(serving.caller(), body.job?.id, 'processing');
  serving.child.kill('SIGTERM');
  await poll(serving.text, (said) => said.includes('Finishing running jobs'));
  serving.child.kill('SIGTERM');
  expect((await serving.child).signal).toBe('SIGTERM');
  await poll(
    () => serving.pids().some(isAlive),
    (isAny) => !isAny,
  );
});

test('The processes end at once when the one that started them is killed', async () => {
  const machine = await freshMachine();
  const serving = await serveTwo(machine);
  serving.child.kill('SIGKILL');
  await poll(
    () => serving.pids().some(isAlive),
    (isAny) => !isAny,
  );
});
