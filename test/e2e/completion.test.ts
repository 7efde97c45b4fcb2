import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { SCRIPT_FILES, type Shell } from '../../src/cli/completion/shells.ts';
import { freshMachine, type Machine, ROOT } from '../support/program/program.ts';

const UUID = '0123456789abcdef0123456789abcdef';
const SERVICE = 'https://skins.example.org:8443/base';

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
/** bash is required; the other shells are tried where they are installed (.ci/run says which). */
const MORE_SHELLS = (['zsh', 'fish'] as const).filter(isInstalled);

/** A machine with `skinsmith` on its PATH that has submitted, signed and listed before. */
async function usedMachine(): Promise<Machine> {
  const machine = await freshMachine();
  const bin = join(machine.folder, 'bin');
  await mkdir(bin);
  const program = join(bin, 'skinsmith');
  await writeFile(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/skinsmith.js')}' "$@"\n`,
  );
  await chmod(program, 0o755);
  machine.env['PATH'] = `${bin}:${machine.env['PATH']}`;
  await writeFile(
    join(machine.dataDir, 'submissions.ndjson'),
    '{"job":"job-1","source":"a.png"}\n{"job":"job-2","source":"b.png"}\n',
  );
  await writeFile(join(machine.dataDir, 'seen-names.json'), '{"users":[{"value":"alice"},{"value":"zoe"}]}');
  await writeFile(join(machine.folder, 'skins.lock'), `{"source":"a.png","uuid":"${UUID}"}\n`);
  await writeFile(join(machine.folder, 'robot.png'), '');
  expect((await machine.run(['config', 'set', 'base-url', SERVICE])).exitCode).toBe(0);
  return machine;
}

/** Path of a file with what `skinsmith completion` prints for the shell. */
async function writeScript(machine: Machine, shell: Shell): Promise<string> {
  const script = join(machine.folder, SCRIPT_FILES[shell]);
  const { exitCode, stdout, stderr } = await machine.run(['completion', shell]);
  expect([exitCode, stderr]).toEqual([0, '']);
  await writeFile(script, stdout);
  return script;
}

/** Words typed into bash (a tab completes, escape and * insert all that there is), and those that the program gets. */
const TYPED = [
  ['conf\t se\t bas\t htt\t', ['config', 'set', 'base-url', SERVICE]],
  ['keys \x1b*', ['keys', 'create', 'edit', 'list', 'revoke']],
  ['generate rob\t --visib\tunl\t', ['generate', 'robot.png', '--visibility', 'unlisted']],
  ['generate --format json,val\t', ['generate', '--format', 'json,value']],
  ['generate --format=json,val\t', ['generate', '--format=json,value']],
  ['generate --report h\tout.html', ['generate', '--report', 'html=out.html']],
  ['--json skins get 01\t', ['--json', 'skins', 'get', UUID]],
  ['--base-url htt\t who\t', ['--base-url', SERVICE, 'whoami']],
  ['--base-url=htt\t who\t', [`--base-url=${SERVICE}`, 'whoami']],
  ['status job-1 job-\x1b*', ['status', 'job-1', 'job-1', 'job-2']],
  ['status -- job-\x1b*', ['status', '--', 'job-1', 'job-2']],
  ['users get al\t', ['users', 'get', 'alice']],
  ['users edit alice zo\t', ['users', 'edit', 'alice', 'zo']],
  ['config set color \x1b*', ['config', 'set', 'color', 'always', 'auto', 'never']],
  ['keys cha\t', ['keys', 'cha']],
] as const;

test('bash completes commands, options, values and what this machine has stored', async () => {
  const machine = await usedMachine();
  const script = await writeScript(machine, 'bash');
  const shown = `skinsmith() { if [ "$1" = complete ]; then command skinsmith "$@"; else echo "$(printf '<%s>' "$@")"; fi; }`;
  const lines = TYPED.map(([words]) => `skinsmith ${words}\n`);
  const { stdout } = await execa('bash', ['--norc', '--noprofile', '-i'], {
    input: `source '${script}'\n${shown}\n${lines.join('')}exit\n`,
    cwd: machine.folder,
    env: { ...machine.env, TERM: 'dumb', INPUTRC: '/dev/null', HISTFILE: '' },
    extendEnv: false,
  });
  const got = stdout.split('\n').filter((line) => line.startsWith('<'));
  expect(got).toEqual(TYPED.map(([, words]) => words.map((word) => `<${word}>`).join('')));
});

test('Every installed shell can read its script', async () => {
  const machine = await freshMachine();
  for (const shell of ['bash', ...MORE_SHELLS] as const) {
    const script = await writeScript(machine, shell);
    const { exitCode, stderr } = await execa(shell, ['-n', script], { reject: false });
    expect([shell, exitCode, stderr]).toEqual([shell, 0, '']);
  }
});

const FISH_LINES = [
  ['skinsmith conf', ['config']],
  ['skinsmith --json keys ', ['create', 'edit', 'list', 'revoke']],
  ['skinsmith --base-url=h', [`--base-url=${SERVICE}`]],
  ['skinsmith generate --format json,va', ['json,value']],
  ['skinsmith skins get ', [UUID]],
  ['skinsmith skins edit x ', []],
  ['skinsmith status job-1 ', ['job-2', 'job-1']],
  ['skinsmith config set color ', ['auto', 'always', 'never']],
  ['skinsmith generate rob', ['robot.png']],
] as const;

for (const fish of MORE_SHELLS.filter((shell) => shell === 'fish')) {
  test.each(FISH_LINES)('fish completes %j', async (line, wanted) => {
    const machine = await usedMachine();
    const script = await writeScript(machine, 'fish');
    const { stdout } = await execa(fish, ['-N', '-c', `source '${script}'; complete -C '${line}'`], {
      cwd: machine.folder,
      env: machine.env,
      extendEnv: false,
    });
    const words = stdout.split('\n').filter(Boolean);
    expect(words.map((row) => row.split('\t')[0])).toEqual(wanted);
  });
}

test('What scripts ask for is told without a service and without a store, and help does not show it', async () => {
  const machine = await freshMachine();
  machine.env['SKINSMITH_BASE_URL'] = 'http://127.0.0.1:9';
  for (const kind of ['jobs', 'skins', 'services', 'users', 'keys', 'setting-values']) {
    const { exitCode, stderr } = await machine.run(['complete', kind, '--', '--x']);
    expect([exitCode, stderr]).toEqual([0, '']);
  }
  expect((await machine.run(['--help'])).stdout).not.toMatch(/^ +complete\b/m);
  const refused = await machine.run(['completion', 'tcsh']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('bash, zsh, fish, powershell'),
  ]);
});
