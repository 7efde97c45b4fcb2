import { hash } from 'node:crypto';
import { once } from 'node:events';
import { cp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { FakeProvider } from '../support/openid/fake-provider.ts';
import { PlainBrowser } from '../support/pages/browser.ts';
import { lines } from '../support/program/batches.ts';
import {
  freshMachine,
  type Machine,
  PROGRAM,
  ROOT,
  type Serving,
  saying,
} from '../support/program/program.ts';
import { dataUrl, skinPng } from '../support/server/drawn-skins.ts';
import { jobAt } from '../support/server/job-at.ts';
import { poll } from '../support/server/poll.ts';
import type { TestCaller } from '../support/server/test-caller.ts';
import { testWhole } from '../support/setup/extent.ts';

async function newUser({ caller }: Serving, name: string): Promise<string> {
  const { body } = await caller().json('/v2/account/keys', { user: name });
  return String(body.key?.secret);
}

const seven = (callers: readonly TestCaller[], from: number) =>
  Promise.all(
    Array.from({ length: 7 }, (_, n) => callers[n % callers.length]!.upload('/v2/queue', skinPng(from + n))),
  );

function outcome(answers: Awaited<ReturnType<typeof seven>>): string[] {
  return answers.map(({ status, body }) => `${status} ${body.errors?.[0]?.code ?? ''}`.trim()).toSorted();
}

const FIVE_OF_SEVEN = ['202', '202', '202', '202', '202', '429 job_limit', '429 job_limit'];

describe('serve', () => {
  test('says where it listens and the key in its first line, logs as JSON, and opens no debugger at SIGUSR1', async () => {
    const serving = await (await freshMachine()).serve(['--log-level', 'info']);
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(serving.key).toMatch(/^\S{64,}$/);
    serving.process.kill('SIGUSR1'); // other users of the machine could connect to a debugger
    expect((await serving.caller().get('/v2/me')).body.name).toBe('owner');
    // The thread that draws is a file of its own.
    const { body } = await serving.caller().upload('/v2/generate', skinPng(1));
    expect((await serving.caller().get(`/v2/skins/${body.skin?.uuid}/body.png?size=64`)).status).toBe(200);
    const { exitCode, stdout, stderr } = await serving.end('SIGTERM');
    expect([exitCode, stdout]).toEqual([0, `${JSON.stringify({ url: serving.url, key: serving.key })}\n`]);
    const logged = lines(stderr).map((line) => JSON.parse(line) as object);
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'request', path: '/v2/me', status: 200 }));
  });

  // Otherwise cli/serve/served-pack has packs that change.
  testWhole(
    'offers a pack to players, and prints its lines for server.properties again when it changes',
    async () => {
      const machine = await freshMachine();
      const path = join(machine.folder, 'server.zip');
      const pack = (text: string) =>
        zipSync({ 'pack.mcmeta': Buffer.from('{}'), 'a.txt': Buffer.from(text) }, { mtime: '2026-01-01' });
      await writeFile(path, pack('one'));
      const serving = await machine.serve(['--pack', path, '--public-url', 'https://skins.example.org']);
      const addressOf = (text: string) => `/packs/${hash('sha1', pack(text))}.zip`;
      const player = serving.caller('');
      expect((await player.get(addressOf('one'))).bytes).toEqual(Buffer.from(pack('one')));
      await writeFile(path, pack('two'));
      await poll(
        async () => (await player.get(addressOf('two'))).status,
        (status) => status === 200,
      );
      expect((await player.get(addressOf('two'))).bytes).toEqual(Buffer.from(pack('two')));
      // Game servers that have the old lines still offer the old pack.
      expect((await player.get(addressOf('one'))).status).toBe(200);
      const { exitCode, stdout } = await serving.end('SIGTERM');
      const [, ...told] = lines(stdout).map((line) => JSON.parse(line) as object);
      const view = (text: string) => ({
        pack: `https://skins.example.org${addressOf(text)}`,
        sha1: hash('sha1', pack(text)),
      });
      expect([exitCode, told]).toEqual([0, [view('one'), view('two')]]);
    },
  );

  test('ends at once, and says why, where its data folder cannot be made', async () => {
    const machine = await freshMachine();
    const { exitCode, stderr } = await machine.run(['serve', '--port', '0', '--data', '/proc/x']);
    expect([exitCode, stderr]).toEqual([expect.any(Number), expect.stringMatching(/\/proc\/x/)]);
    expect(exitCode).not.toBe(0);
  });

  test("prints no owner's key with --no-owner-key, and at SIGTERM finishes running generations, answers them and exits 0", async () => {
    const machine = await freshMachine();
    const serving = await machine.serve(['--no-owner-key', '--pace', '3000', '--workers', '1']);
    expect(serving.key).toBe('');
    const health = await machine.run(['health', '--json'], { env: { SKINSMITH_BASE_URL: serving.url } });
    expect([health.exitCode, JSON.parse(health.stdout)]).toMatchObject([0, { status: 'ok' }]);
    const made = await machine.run(['keys', 'create', 'me', '--owner', '--json']);
    const owner = serving.caller(JSON.parse(made.stdout).secret);
    const answer = owner.upload('/v2/generate?timeout=30', skinPng(1));
    await poll(
      () => owner.get('/v2/queue'),
      ({ body }) => body.jobs?.[0]?.status === 'processing',
    );
    expect(await serving.end('SIGTERM')).toEqual({
      exitCode: 0,
      stdout: `{"url":"${serving.url}"}\n`,
      stderr: '',
    });
    expect((await answer).status).toBe(200);
  });

  // Otherwise base/files knows the modes.
  testWhole('makes folders that nobody else can look into, whatever the umask', async () => {
    const machine = await freshMachine();
    const folder = join(machine.folder, 'new');
    const open = ['-c', 'umask 0; exec "$0" "$@"', ...PROGRAM];
    const env = { ...machine.env, SKINSMITH_CONFIG_DIR: folder };
    const set = ['config', 'set', 'visibility', 'unlisted'];
    await execa('sh', [...open, ...set], { env, extendEnv: false });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  // Otherwise processes/queue has several processes over one data folder, and e2e/serve-cluster several servers.
  testWhole(
    'gives five of seven simultaneous requests of a user a slot, in two processes over one data folder, and prints the key once',
    async () => {
      const machine = await freshMachine();
      const one = await machine.serve(['--workers', '0']);
      const two = await machine.serve(['--workers', '0']);
      expect(two.key).toBe('');
      const bob = await newUser(one, 'bob');
      const both = (key: string) => [one.caller(key), two.caller(key)];
      const answers = await Promise.all([seven(both(one.key), 0), seven(both(bob), 10)]);
      expect(answers.map(outcome)).toEqual([FIVE_OF_SEVEN, FIVE_OF_SEVEN]);
    },
  );

  // Otherwise e2e/starting has a program whose files are gone.
  testWhole(
    'keeps working and ends cleanly when an upgrade removes its files, and logs as text',
    async () => {
      const machine = await freshMachine();
      const copy = join(machine.folder, 'program');
      for (const part of ['bin', 'dist', 'package.json'])
        await cp(join(ROOT, part), join(copy, part), { recursive: true });
      const logging = ['--log-level', 'info', '--log-format', 'text'];
      const serving = await machine.serve(logging, '', [process.execPath, join(copy, 'bin/skinsmith.js')]);
      await rm(join(copy, 'dist'), { recursive: true });
      const owner = serving.caller();
      const made = [owner.upload('/v2/generate', skinPng(1)), owner.upload('/generate/upload', skinPng(2))];
      const asked = ['/v2/me', '/openapi.json', '/metrics', '/v2/queue'].map((path) => owner.get(path));
      for (const answer of await Promise.all([...made, ...asked])) expect(answer.status).toBe(200);
      expect((await owner.get('/v2/nothing')).status).toBe(404);
      const { exitCode, stderr } = await serving.end('SIGTERM');
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Cannot find')]);
      expect(stderr).toMatch(/^\d\d:\d\d:\d\d started {2}url=http/m);
      expect(stderr).not.toMatch(/GET \/v2\/me|"msg"/);
    },
  );

  // Otherwise processes/chaos kills nodes in the middle of jobs, and e2e/serve-cluster built servers.
  testWhole('killed in the middle of many jobs and started again completes each of them once', async () => {
    const machine = await freshMachine();
    const first = await machine.serve(['--pace', '1000', '--workers', '2']);
    const names = Array.from({ length: 5 }, (_, n) => `user-${n}`);
    const keys = await Promise.all(names.map((name) => newUser(first, name)));
    const queued = await Promise.all(
      keys.flatMap((key, user) =>
        Array.from({ length: 5 }, (_, n) => first.caller(key).upload('/v2/queue', skinPng(user * 5 + n))),
      ),
    );
    expect(queued.map(({ status }) => status)).toEqual(queued.map(() => 202));
    await poll(
      () => first.caller(keys[0]!).get('/v2/queue'),
      ({ body }) => body.jobs?.some(({ status }) => status === 'completed') ?? false,
    );
    await first.end('SIGKILL');
    const atKill = countByStatus(machine.dataDir);
    expect(atKill['processing'] ?? 0).toBeGreaterThan(0);
    expect(atKill['waiting'] ?? 0).toBeGreaterThan(0);

    const second = await machine.serve(['--workers', '4'], first.key);
    for (const [index, { body }] of queued.entries()) {
      const caller = second.caller(keys[Math.floor(index / 5)]!);
      const done = await jobAt(caller, body.job?.id, 'completed');
      expect(done.body).toMatchObject({
        skin: { uuid: done.body.job?.result },
      });
    }
    await second.end('SIGTERM');
    const n = queued.length;
    expect(countByStatus(machine.dataDir)).toEqual({ completed: n });
    expect(ask(machine.dataDir, 'select count(distinct skin_uuid) as n from jobs')).toEqual([{ n }]);
    expect(ask(machine.dataDir, 'select count(*) as n from skins')).toEqual([{ n }]);
    expect(ask(machine.dataDir, 'select count(*) as n from texture_data')).toEqual([{ n }]);
  });
});

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

function countByStatus(dataDir: string): Record<string, unknown> {
  const rows = ask(dataDir, 'select status, count(*) as n from jobs group by status');
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

// Otherwise service/pages/provider-sign-in has people who sign in, and cli/serve/server-options and own-log the options.
testWhole(
  'People sign in to the built program with a provider, as its options say, and a log for people has each request',
  async () => {
    const provider = await FakeProvider.start();
    const { issuer, clientId, clientSecret } = provider.settings();
    const machine = await freshMachine();
    const secretFile = join(machine.folder, 'client-secret');
    await writeFile(secretFile, `${clientSecret}\n`);
    provider.claims = { sub: 'person-1', preferred_username: 'anna', groups: ['admins'] };
    const { url, caller, end } = await machine.serve([
      ...['--log-level', 'info', '--log-format', 'text', '--verbose'],
      ...['--oidc-issuer', issuer, '--oidc-client-id', clientId, '--oidc-secret-file', secretFile],
      ...['--oidc-operator-claim', 'groups=admins', '--allow-network', '127.0.0.0/8'],
    ]);
    const browser = new PlainBrowser(url);
    const begun = await browser.open('/ui/sign-in/provider');
    const { pathname, search } = new URL(provider.approve(begun.headers.get('location') ?? ''));
    await browser.open(`${pathname}${search}`);
    expect((await browser.open('/ui/sign-in/first', { form: {} })).headers.get('location')).toBe('/ui/');
    expect((await browser.open('/ui/make')).text).toContain('<bdi>anna</bdi>');
    const { user } = (await caller().get('/v2/account/users/anna')).body;
    expect(user).toMatchObject({ role: 'operator' });
    const { stderr } = await end('SIGTERM');
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d GET \/v2\/account\/users\/anna 200 [\d.]+ ms/m);
    expect(stderr).not.toMatch(/"msg"/);
  },
);

test('A service says at its start that its provider is in a private network, and what to do', async () => {
  const provider = await FakeProvider.start();
  const { issuer, clientId } = provider.settings();
  const machine = await freshMachine();
  const child = machine.start([
    ...['serve', '--port', '0', '--log-format', 'text'],
    ...['--oidc-issuer', issuer, '--oidc-client-id', clientId],
  ]);
  const said = await saying(child, 'stderr', /a private address.*\n/);
  expect(said).toMatch(/127\.0\.0\.1 has a private address.*--allow-network/);
});

describe('serve --double', () => {
  // Otherwise testing.test.ts makes one with a double in this process.
  testWhole(
    'makes a folder of skins as the hosted service does, and a polite client ends with 0',
    async () => {
      const machine = await freshMachine();
      const { url, key, end } = await startDouble(machine, ['--polite', '--scenario', 'lossy']);
      const env = { SKINSMITH_API_KEY: key };
      const out = join(machine.folder, 'out');
      const args = ['--base-url', url, 'generate', 'examples', '--out', out];
      expect((await machine.run(args, { env })).exitCode).toBe(0);
      expect(await end()).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  // Otherwise the test of _double/stop reports the same at another end.
  testWhole('ends with 1 and a report after an impolite client', async () => {
    const machine = await freshMachine();
    const { url, key, end } = await startDouble(machine, ['--polite', '--clock', 'manual']);
    await submitTwice(url, key);
    expect(await end()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('waits: 1 submissions'),
    });
  });

  // Otherwise the next test reports the same at another end.
  testWhole('ends when its standard input does, and reports what clients did until then', async () => {
    const machine = await freshMachine();
    const { url, key, process } = await startDouble(machine, [
      '--polite',
      '--clock',
      'manual',
      '--parent-stdin',
    ]);
    await submitTwice(url, key);
    process.stdin!.end();
    expect(await process).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('waits: 1 submissions'),
    });
  });

  test('ends after it has answered POST /_double/stop with what clients did wrong', async () => {
    const machine = await freshMachine();
    const { url, key, process } = await startDouble(machine, ['--polite', '--clock', 'manual']);
    await submitTwice(url, key);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/_double/stop`, { method: 'POST', headers, body: '{}' });
    const violations = [{ expectation: 'waits', message: expect.any(String), requests: [2] }];
    expect([answer.status, await answer.json()]).toEqual([200, { violations }]);
    expect((await process).exitCode).toBe(1);
  });

  test.each([
    [['--host', '127.0.0.1'], '--double and --host cannot be combined'],
    [['--scenario', 'nonsense'], 'The scenario nonsense cannot be read'],
    [['--scenario', 'words.txt'], 'cannot be read: it does not contain an object'],
  ])('refuses %j', async (args, message) => {
    const machine = await freshMachine();
    await writeFile(join(machine.folder, 'words.txt'), 'lossy');
    const { exitCode, stderr } = await machine.run(['serve', '--double', ...args], { cwd: machine.folder });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

async function startDouble(machine: Machine, args: readonly string[]) {
  const child = machine.start(['serve', '--double', ...args]);
  const [line] = await once(child.stdout!, 'data');
  const { url, key } = JSON.parse(String(line)) as { url: string; key: string };
  const end = async () => {
    child.kill('SIGTERM');
    return await child;
  };
  return { url, key, process: child, end };
}

/** Submits again what was refused, at once. */
async function submitTwice(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: dataUrl(skinPng(1)), name: 'limit-429' });
  for (const status of [429, 202])
    expect((await fetch(`${url}/v2/queue`, { method: 'POST', headers, body })).status).toBe(status);
}
