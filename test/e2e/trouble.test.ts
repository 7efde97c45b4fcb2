import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { freshMachine, type Machine, PROGRAM, type Ran, ROOT } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';
import { sampled } from '../support/setup/extent.ts';

const SMITH = 'examples/smith.png';
const NO_STACK = /\n\s+at |This is a bug/;

async function pendingJob(machine: Machine): Promise<Ran> {
  const { url, key = '', owner } = await runServer({ workers: 0 });
  const { body } = await owner.upload('/v2/queue', skinPng(1));
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: key };
  return await machine.run(['status', body.job?.id ?? ''], { env });
}

async function wrongKey(machine: Machine): Promise<Ran> {
  const { url } = await runServer();
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: 'x'.repeat(70) };
  return await machine.run(['whoami'], { env });
}

const STATUSES: readonly [status: number, when: string, run: (machine: Machine) => Promise<Ran>][] = [
  [0, 'all is done', (machine) => machine.run(['generate', SMITH])],
  [1, 'a source fails', (machine) => machine.run(['generate', 'no-such-file.png'])],
  [
    1,
    'a URL is not for the embedded service to go to',
    (machine) => machine.run(['generate', 'http://127.0.0.1/s.png']),
  ],
  [1, 'a folder has no skins', (machine) => machine.run(['generate', 'bin'])],
  [2, 'the data folder is to be none', (machine) => machine.run(['serve', '--data', ''])],
  [
    1,
    'the host to listen on is none',
    (machine) => machine.run(['serve', '--port', '0', '--host', '300.1.1.1']),
  ],
  [1, 'one of several checked files is unusable', (machine) => machine.run(['check', SMITH, 'package.json'])],
  [2, 'an option is unknown', (machine) => machine.run(['generate', SMITH, '--nmae', 'x'])],
  [2, 'a command is unknown', (machine) => machine.run(['genrate', SMITH])],
  [2, 'nothing is said', (machine) => machine.run(['generate'])],
  [
    2,
    'a setting is wrong',
    (machine) => machine.run(['generate', SMITH], { env: { SKINSMITH_VARIANT: 'steve' } }),
  ],
  [4, 'the key is not accepted', wrongKey],
  [8, 'a job is pending', pendingJob],
  [
    75,
    'the service cannot be reached',
    (machine) => machine.run(['whoami', '--base-url', 'http://127.0.0.1:1']),
  ],
];

test.each(STATUSES)('The exit status is %i when %s', async (status, _, run) => {
  const { exitCode, stderr } = await run(await freshMachine());
  expect([exitCode, stderr]).toEqual([status, expect.not.stringMatching(NO_STACK)]);
  if (status !== 0 && status !== 8) expect(stderr).toMatch(/^error: |cannot be used/m);
});

test.each([
  [['genrate'], /generate/],
  [['generate', SMITH, '--visiblity', 'public'], /--visibility/],
])('A mistyped %j gets the nearest name as a suggestion', async (args, nearest) => {
  const { stderr } = await (await freshMachine()).run(args);
  expect(stderr).toMatch(nearest);
});

test('A missing file does not stop the others, and both are reported', async () => {
  const { exitCode, stdout, stderr } = await (await freshMachine()).run([
    'generate',
    'nope.png',
    SMITH,
    '--json',
  ]);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { source: 'nope.png', status: 'failed', error: { code: 'no_such_file' } },
    { source: SMITH, status: 'completed' },
  ]);
  expect(stderr).toContain('no_such_file');
});

test('A file that is not a signing key is named when the service starts', async () => {
  const machine = await freshMachine();
  const path = join(machine.dataDir, 'signing-key.pem');
  await writeFile(path, 'not a key');
  const { exitCode, stderr } = await machine.run(['generate', SMITH]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`The signing key ${path} cannot be used`)]);
});

describe('With --json', () => {
  test.each([
    [['generate', SMITH, '--nmae', 'x', '--json'], 'usage'],
    [['config', 'get', 'nothing', '--json'], 'unknown_setting'],
    [['generate', SMITH, '--name', 'x'.repeat(49), '--json'], 'invalid_name'],
    [['skins', 'get', 'abc', '--json'], 'not_a_uuid'],
    [['jobs', '--local', '--base-url', 'http://127.0.0.1:1', '--json'], 'two_services'],
  ])('the error of %j is one JSON line on stderr', async (args, code) => {
    const { stdout, stderr } = await (await freshMachine()).run(args);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ error: { code, message: expect.stringMatching(/\S/) } });
  });
});

describe('In a broken environment', () => {
  test('a config file that is broken JSON is named, with status 2', async () => {
    const machine = await freshMachine();
    await mkdir(machine.configDir);
    const file = join(machine.configDir, 'config.json');
    await writeFile(file, '{"visibility": ');
    const { exitCode, stderr } = await machine.run(['generate', SMITH]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(file)]);
    expect(stderr).not.toMatch(NO_STACK);
  });

  test.each([
    ['a file', (file: string) => file],
    ['a place under a file', (file: string) => join(file, 'data')],
  ])('a data folder that is %s is reported with status 1', async (_, place) => {
    const machine = await freshMachine();
    const file = join(machine.folder, 'in-the-way');
    await writeFile(file, '');
    const { exitCode, stderr } = await machine.run(['generate', SMITH], {
      env: { SKINSMITH_DATA_DIR: place(file) },
    });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: .*in-the-way/)]);
    expect(stderr).not.toMatch(NO_STACK);
  });

  test('an empty HOME is named, and nothing is written into the current folder', async () => {
    const machine = await freshMachine();
    const env = { HOME: '', SKINSMITH_DATA_DIR: '', SKINSMITH_CONFIG_DIR: '' };
    const { exitCode, stderr } = await machine.start(['skins', 'list'], { cwd: machine.folder, env });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/HOME is empty or not set\.\nhint: Set HOME,/),
    ]);
    expect(await readdir(machine.folder)).toEqual(['data']); // the machine's own
  });

  test('a reader that goes away early causes no stack trace', async () => {
    const machine = await freshMachine();
    const sources = Array.from({ length: 40 }, () => SMITH).join(' ');
    const line = `"$@" generate ${sources} | head -n 1`;
    const { stdout, stderr } = await execa('sh', ['-c', line, 'sh', ...PROGRAM], {
      cwd: ROOT,
      env: machine.env,
      extendEnv: false,
    });
    expect(stdout.split('\t')[1]).toBe('completed');
    expect(stderr).not.toMatch(/\n\s+at |EPIPE|This is a bug/);
  });
});

const WITH_PASSWORDS = [
  'https://anna:hunter2@127.0.0.1:1',
  'https://anna:1/hun@ter2@127.0.0.1',
  'http:anna:hunter2@127.0.0.1:1',
  'anna:hunter2@127.0.0.1:1',
];

test.each(sampled(WITH_PASSWORDS, 2))('No part of a password in an address is shown: %s', async (address) => {
  const machine = await freshMachine();
  const database = address.replace(/^(https?:(\/\/)?)?/, 'postgres://');
  const lines: readonly (readonly string[])[] = [
    ['whoami', '--json'],
    ['doctor'],
    ['config', 'list'],
    ['config', 'get', 'base-url'],
    ['config', 'set', 'base-url', address],
    ['generate', SMITH],
    ['verify', 'skins.lock', '--require-signer', address],
    ['serve', '--generator', 'upstream', '--upstream', address],
    ['serve', '--oidc-issuer', address],
    ['serve', '--store', database.replace('@127', '#@127')],
    ['store', 'copy', 'data', database.replace('://', '//')],
  ];
  const told: string[] = [];
  for (const line of lines) {
    const { stdout, stderr, exitCode } = await machine.run(line, { env: { SKINSMITH_BASE_URL: address } });
    told.push(stdout, stderr);
    expect(exitCode, line.join(' ')).toBeLessThanOrEqual(2);
  }
  expect(told.join('\n')).toContain('user name or password');
  expect(told.join('\n')).not.toMatch(/anna|hun|ter2/);
});
