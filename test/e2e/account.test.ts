import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshMachine, type Machine, type Ran } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';
import { runServer } from '../support/server/running-server.ts';
import { testWhole } from '../support/setup/extent.ts';

/** A service, and a machine on which people work with it. */
async function serviceAndDesk(): Promise<{
  serving: { readonly url: string; readonly key: string };
  desk: Machine;
  login: (key: string) => Promise<Ran>;
}> {
  const { url, key = '' } = await runServer();
  const desk = await freshMachine();
  const login = (typed: string) => desk.run(['login', '-', '--base-url', url], { input: `${typed}\n` });
  return { serving: { url, key }, desk, login };
}

const configOf = async (machine: Machine) =>
  await readFile(join(machine.configDir, 'config.json'), 'utf8').catch(() => undefined);

describe('Signing in', () => {
  test('stores a key that the service accepts, for that service alone, readable by the user alone', async () => {
    const { serving, desk, login } = await serviceAndDesk();
    const { exitCode, stderr } = await login(serving.key);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Signed in')]);
    expect(stderr).not.toContain(serving.key);
    expect(JSON.parse((await configOf(desk)) ?? '')).toEqual({ 'api-keys': { [serving.url]: serving.key } });
    const { mode } = await stat(join(desk.configDir, 'config.json'));
    expect((mode & 0o777).toString(8)).toBe('600');
    const who = await desk.run(['whoami', '--json', '--base-url', serving.url]);
    expect(JSON.parse(who.stdout)).toMatchObject({ name: 'owner', plan: 'owner', service: serving.url });
  });

  test('with a key that the service does not know exits 4 and stores nothing', async () => {
    const { desk, login } = await serviceAndDesk();
    const { exitCode, stderr } = await login(`sksm_${'0'.repeat(64)}`);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('Nothing was stored')]);
    expect(await configOf(desk)).toBeUndefined();
  });

  test('takes the key from a file, and refuses one typed on the command line', async () => {
    const { serving, desk } = await serviceAndDesk();
    const file = join(desk.folder, 'key');
    await writeFile(file, `${serving.key}\n`);
    expect((await desk.run(['login', '--key-file', file, '--base-url', serving.url])).exitCode).toBe(0);
    for (const args of [
      ['login', serving.key],
      ['generate', 'x.png', '--api-key', serving.key],
    ]) {
      const { exitCode, stderr } = await desk.run([...args, '--base-url', serving.url]);
      expect(exitCode).toBe(2);
      expect(stderr).not.toContain(serving.key);
    }
  });

  test('is taken back by logout', async () => {
    const { serving, desk, login } = await serviceAndDesk();
    await login(serving.key);
    expect((await desk.run(['logout', '--base-url', serving.url])).exitCode).toBe(0);
    expect(await configOf(desk)).not.toContain(serving.key);
    const who = await desk.run(['whoami', '--base-url', serving.url]);
    expect([who.exitCode, who.stderr]).toEqual([4, expect.stringContaining('skinsmith login')]);
  });

  test('that is missing or wrong leads to the right place to fix it', async () => {
    const { serving, desk } = await serviceAndDesk();
    const at = ['--base-url', serving.url];
    const login = `skinsmith login --base-url ${serving.url}\n`;
    for (const args of [['whoami'], ['keys', 'list']]) {
      const { exitCode, stderr } = await desk.run([...args, ...at]);
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`hint: Sign in first: ${login}`)]);
    }
    const env = { SKINSMITH_API_KEY: 'x'.repeat(70) };
    const { stderr } = await desk.run(['whoami', ...at], { env });
    expect(stderr).toContain('hint: SKINSMITH_API_KEY holds the key that was sent.');
    expect(stderr).toContain(login);
  });

  test('never shows more of the key than its last four characters', async () => {
    const { serving, desk, login } = await serviceAndDesk();
    await login(serving.key);
    for (const args of [
      ['whoami'],
      ['jobs'],
      ['keys', 'list'],
      ['config', 'list'],
      ['generate', 'examples/smith.png'],
    ]) {
      const { stdout, stderr } = await desk.run([...args, '--verbose', '--base-url', serving.url]);
      expect(stdout + stderr).not.toContain(serving.key.slice(5, 20));
    }
    const list = await desk.run(['config', 'list']);
    expect(list.stdout).toContain(`…${serving.key.slice(-4)}`);
    const verbose = await desk.run(['whoami', '--verbose', '--base-url', serving.url]);
    expect(verbose.stderr).toMatch(/GET \/v2\/me 200 \d+ ms/);
  });
});

describe('keys', () => {
  test('are made for others by the operator, used through the environment, and revoked', async () => {
    const { serving, desk, login } = await serviceAndDesk();
    await login(serving.key);
    const at = ['--base-url', serving.url];
    const made = await desk.run(['keys', 'create', 'ci', '--user', 'bob', '--json', ...at]);
    const { secret, id } = JSON.parse(made.stdout) as { secret: string; id: string };
    const asBob = { env: { SKINSMITH_API_KEY: secret, SKINSMITH_BASE_URL: serving.url } };
    const who = await desk.run(['whoami', '--json'], asBob);
    expect(JSON.parse(who.stdout)).toMatchObject({ name: 'bob' });
    expect((await desk.run(['keys', 'create', '--user', 'ann'], asBob)).exitCode).toBe(4);
    expect((await desk.run(['keys', 'list', '--user', 'bob', ...at])).stdout).toMatch(
      new RegExp(`^${id}\t${secret.slice(-4)}\t`),
    );
    expect((await desk.run(['keys', 'revoke', id, ...at])).exitCode).toBe(0);
    expect((await desk.run(['whoami'], asBob)).exitCode).toBe(4);
  });
});

/**
 * The command runs over the data folder, while the service runs in a process of its own. Bob has a job that never
 * ends, and may have only one at a time: the command's process must not make what waits behind it.
 */
async function busyService() {
  const machine = await freshMachine();
  await writeFile(join(machine.dataDir, 'plans.json'), '{"free": {"concurrency": 1, "burst": 1}}');
  const serving = await machine.serve(['--workers', '1', '--pace', '600000']);
  const { body } = await serving.caller().json('/v2/account/keys', { user: 'bob' });
  const { id, secret } = body.key ?? {};
  const bob = serving.caller(secret);
  const first = await bob.upload('/v2/queue', skinPng(1));
  await poll(
    async () => (await bob.get(`/v2/queue/${first.body.job?.id}`)).body.job?.status,
    (status) => status === 'processing',
  );
  return { machine, serving, id: String(id), bob };
}

// Otherwise service/callers/revoking has revocations by another process.
testWhole(
  'A revocation by another process ends at once the event stream and waiting request of a key, and the waiting jobs of a user',
  async () => {
    const { machine, serving, id, bob } = await busyService();
    const stream = await bob.events();
    await stream.first(1);
    const waiting = bob.upload('/v2/generate', skinPng(2));
    await stream.first(2);
    expect((await machine.run(['keys', 'revoke', id])).exitCode).toBe(0);
    expect((await waiting).status).toBe(403);
    await poll(
      () => stream.end,
      (end) => end !== undefined,
    );

    const made = await serving.caller().json('/v2/account/keys', { user: 'bob' });
    const again = serving.caller(made.body.key?.secret);
    const { body } = await again.upload('/v2/queue', skinPng(3));
    expect((await machine.run(['users', 'disable', 'bob'])).exitCode).toBe(0);
    expect((await again.get('/v2/me')).status).toBe(403);
    await machine.run(['users', 'enable', 'bob']);
    expect((await again.get(`/v2/queue/${body.job?.id}`)).body).toMatchObject({
      job: { status: 'failed' },
      errors: [{ code: 'job_failed' }],
    });
  },
);

describe('users and plans', () => {
  // Otherwise cli/program/users has them, and service/callers/plans what a service reads.
  testWhole(
    'of a machine are managed without a service, and known to a service that starts later',
    async () => {
      const machine = await freshMachine();
      await writeFile(join(machine.dataDir, 'plans.json'), '{"gold": {"queue": 9}}');
      const made = await machine.run(['users', 'create', 'bob', '--plan', 'gold', '--json']);
      expect(JSON.parse(made.stdout)).toMatchObject({ name: 'bob', plan: 'gold' });
      const { stdout } = await machine.run(['keys', 'create', '--user', 'bob', '--allow-agent', 'MyApp']);
      const serving = await machine.serve();
      const bob = serving.caller(stdout.split('\t')[0]);
      expect((await bob.get('/v2/me', { 'user-agent': 'MyApp/1' })).body.grants).toMatchObject({ queue: 9 });
      expect((await bob.get('/v2/me')).status).toBe(403);
    },
  );

  test('in a file that is wrong are refused with status 2, naming plan and limit', async () => {
    const machine = await freshMachine();
    const file = join(machine.folder, 'my-plans.json');
    await writeFile(file, '{"gold": {"queue": 0}}');
    const { exitCode, stdout, stderr } = await machine.run(['serve', '--port', '0', '--plans', file]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: The plans in .*my-plans\.json cannot be used: plan gold: queue: /);
  });
});

describe('config', () => {
  test('sets, gets, lists and unsets; flags come before the environment, and the environment before the file', async () => {
    const machine = await freshMachine();
    expect((await machine.run(['config', 'set', 'visibility', 'unlisted'])).exitCode).toBe(0);
    expect((await machine.run(['config', 'get', 'visibility'])).stdout).toBe('unlisted\n');
    expect((await machine.run(['config', 'list'])).stdout).toBe('visibility\tunlisted\tthe config file\n');
    const made = async (args: string[], env = {}) => {
      const { stdout } = await machine.run(['generate', 'examples/smith.png', '--json', ...args], { env });
      return (JSON.parse(stdout) as { visibility: string }).visibility;
    };
    expect(await made([])).toBe('unlisted');
    expect(await made([], { SKINSMITH_VISIBILITY: 'private' })).toBe('private');
    expect(await made(['--visibility', 'public'], { SKINSMITH_VISIBILITY: 'private' })).toBe('public');
    expect((await machine.run(['config', 'unset', 'visibility'])).exitCode).toBe(0);
    expect((await machine.run(['config', 'get', 'visibility'])).exitCode).toBe(1);
    expect((await machine.run(['config', 'path'])).stdout).toBe(
      `${join(machine.configDir, 'config.json')}\n`,
    );
  });

  test.each([
    ['visibility', 'private'],
    ['variant', 'slim'],
    ['slots', '3'],
    ['poll-interval', '0.5'],
    ['format', 'give, value'],
    ['color', 'never'],
    ['user-agent', 'my bot'],
  ])('stores %s so that other commands can read it', async (name, value) => {
    const machine = await freshMachine();
    expect(await machine.run(['config', 'set', name, value])).toMatchObject({ exitCode: 0, stderr: '' });
    const planned = await machine.run(['generate', 'examples/smith.png', '--dry-run']);
    expect(planned).toMatchObject({ exitCode: 3, stderr: expect.not.stringContaining('invalid') });
    expect((await machine.run(['config', 'get', name])).exitCode).toBe(0);
  });

  test('stores a base-url so that other commands can read it', async () => {
    const machine = await freshMachine();
    await machine.run(['config', 'set', 'base-url', 'https://skins.example.org/v2']);
    const { stderr } = await machine.run(['logout']);
    expect(stderr).toBe('No key is stored for https://skins.example.org.\n');
  });

  test('of a format decides what generate prints', async () => {
    const machine = await freshMachine();
    await machine.run(['config', 'set', 'format', 'give']);
    const { exitCode, stdout } = await machine.run(['generate', 'examples/smith.png']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\/?give /)]);
  });
});
