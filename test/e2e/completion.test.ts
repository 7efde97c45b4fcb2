import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { SCRIPT_FILES, type Shell } from '../../src/cli/commands/completion.ts';
import { writeForShells } from '../support/program/called-by-shells.ts';
import { freshMachine, type Machine, PROGRAM } from '../support/program/program.ts';

const UUID = '0123456789abcdef0123456789abcdef';
const SERVICE = 'https://skins.example.org:8443/base';

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
/** bash is required; the other shells are tried where they are installed (.ci/run says which). */
const MORE_SHELLS = (['zsh', 'fish'] as const).filter(isInstalled);

/** A machine that has submitted, signed and listed before, with a `skinsmith` on its PATH that `install` writes. */
async function usedMachine(install = writeForShells): Promise<Machine> {
  const machine = await freshMachine();
  const bin = join(machine.folder, 'bin');
  await install(join(bin, 'skinsmith'));
  machine.env['PATH'] = `${bin}:${machine.env['PATH']}`;
  await writeFile(
    join(machine.dataDir, 'submissions.ndjson'),
    '{"job":"job-1","source":"a.png"}\n{"job":"job-2","source":"b.png"}\n',
  );
  await writeFile(join(machine.dataDir, 'seen-names.json'), '{"users":[{"value":"alice"},{"value":"zoe"}]}');
  await writeFile(join(machine.folder, 'skins.lock'), `{"source":"a.png","uuid":"${UUID}"}\n`);
  await writeFile(join(machine.folder, 'robot.png'), '');
  await writeFile(join(machine.folder, '0.png'), '');
  expect((await machine.run(['config', 'set', 'base-url', SERVICE])).exitCode).toBe(0);
  return machine;
}

/** As the program is installed: each completion starts it. */
async function writeStarter(path: string): Promise<void> {
  await mkdir(dirname(path));
  await writeFile(path, `#!/bin/sh\nexec ${PROGRAM.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  await chmod(path, 0o755);
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
  ['confi\t se\t bas\t htt\t', ['config', 'set', 'base-url', SERVICE]],
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
  ['preview rob\t', ['preview', 'robot.png']],
  ['preview 01\t', ['preview', UUID]],
  ['preview 0\x1b*', ['preview', '0.png', UUID]],
  ['backup --data bi\tx', ['backup', '--data', 'bin/x']],
] as const;

/** Types lines into bash. The words of a command go to stdout, what readline shows to stderr. */
async function typeIntoBash(lines: readonly string[], machine: Machine) {
  const script = await writeScript(machine, 'bash');
  const shown = `skinsmith() { if [ "$1" = complete ]; then command skinsmith "$@"; else echo "$(printf '<%s>' "$@")"; fi; }`;
  return await execa('bash', ['--norc', '--noprofile', '-i'], {
    input: `source '${script}'\n${shown}\n${lines.map((line) => `skinsmith ${line}\n`).join('')}exit\n`,
    cwd: machine.folder,
    env: { ...machine.env, TERM: 'dumb', INPUTRC: '/dev/null', HISTFILE: '' },
    extendEnv: false,
  });
}

test('bash completes commands, options, values and what this machine has stored', async () => {
  const { stdout } = await typeIntoBash(
    TYPED.map(([words]) => words),
    await usedMachine(),
  );
  const got = stdout.split('\n').filter((line) => line.startsWith('<'));
  expect(got).toEqual(TYPED.map(([, words]) => words.map((word) => `<${word}>`).join('')));
});

test('bash lists values with descriptions, and inserts only the values', async () => {
  const lines = ['status \t\t\t', 'preview \t\t', 'status j\t\t2\t'];
  const { stdout, stderr } = await typeIntoBash(lines, await usedMachine());
  for (const listed of ['job-1  (a.png)', 'job-2  (b.png)', `${UUID}  (a.png)`, 'robot.png'])
    expect(stdout + stderr).toContain(listed);
  expect(stdout).toContain('<status><job-2>');
});

test('bash starts the installed program for completions', async () => {
  const { stdout } = await typeIntoBash(['who\t'], await usedMachine(writeStarter));
  expect(stdout).toContain('<whoami>');
});

test('Every installed shell can parse its completion script', async () => {
  const machine = await freshMachine();
  for (const shell of ['bash', ...MORE_SHELLS] as const) {
    const script = await writeScript(machine, shell);
    const { exitCode, stderr } = await execa(shell, ['-n', script], { reject: false });
    expect([shell, exitCode, stderr]).toEqual([shell, 0, '']);
  }
});

const FISH_LINES = [
  ['skinsmith confi', ['config']],
  ['skinsmith --json keys ', ['create', 'list', 'edit', 'revoke']],
  ['skinsmith --base-url=h', [`--base-url=${SERVICE}`]],
  ['skinsmith generate --format json,va', ['json,value']],
  ['skinsmith skins get ', [UUID]],
  ['skinsmith skins edit x ', [UUID]],
  ['skinsmith users edit x ', []],
  ['skinsmith status job-1 ', ['job-2', 'job-1']],
  ['skinsmith config set color ', ['auto', 'always', 'never']],
  ['skinsmith generate rob', ['robot.png']],
  ['skinsmith generate --out=rob', ['--out=robot.png']],
  ['skinsmith generate --report html=rob', ['html=robot.png']],
  ['skinsmith backup --data bi', ['bin/']],
  ['skinsmith preview 0', [UUID, '0.png']],
] as const;

for (const fish of MORE_SHELLS.filter((shell) => shell === 'fish')) {
  test('fish completes commands, options, values and what this machine has stored', async () => {
    const machine = await usedMachine();
    const script = await writeScript(machine, 'fish');
    const lines = FISH_LINES.map(([line]) => `echo '> ${line}'; complete -C '${line}'`);
    const { stdout } = await execa(fish, ['-N', '-c', [`source '${script}'`, ...lines].join('\n')], {
      cwd: machine.folder,
      env: machine.env,
      extendEnv: false,
    });
    const got = stdout.split('\n').map((row) => row.split('\t')[0]);
    expect(got).toEqual(FISH_LINES.flatMap(([line, wanted]) => [`> ${line}`, ...wanted]));
  });
}

/** As for bash, except that menus are not inserted whole. */
const TYPED_INTO_ZSH = TYPED.filter(([words]) => !words.includes('\x1b*'));

for (const zsh of MORE_SHELLS.filter((shell) => shell === 'zsh')) {
  test('zsh completes commands, options, values and what this machine has stored', async () => {
    const machine = await usedMachine();
    const script = await writeScript(machine, 'zsh');
    const setup = `autoload -U compinit; compinit -D; source '${script}'; skinsmith() { if [[ $1 == complete ]]; then command skinsmith "$@"; else print -r -- "<\${(j:><:)@}>" >>typed; fi }`;
    const lines = [...TYPED_INTO_ZSH.map(([words]) => `skinsmith ${words}`), 'exit'];
    const inTerminal = `zmodload zsh/zpty; zpty shell ${zsh} -f -i; print -r -- ${quoted(setup)} | zpty -w shell
      ${lines.map((line) => `zpty -w shell ${quoted(line)}`).join('\n')}; while zpty -r shell seen; do :; done`;
    await execa(zsh, ['-f', '-c', inTerminal], {
      cwd: machine.folder,
      env: { ...machine.env, TERM: 'dumb' },
      extendEnv: false,
    });
    const got = await readFile(join(machine.folder, 'typed'), 'utf8');
    expect(got.trimEnd().split('\n')).toEqual(
      TYPED_INTO_ZSH.map(([, words]) => words.map((word) => `<${word}>`).join('')),
    );
  });
}

/** A line for zsh, with its tabs. */
function quoted(text: string): string {
  return `$'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\t', '\\t')}'`;
}

test('Completion scripts get answers without a service and without a store, and help does not show this', async () => {
  const machine = await freshMachine();
  machine.env['SKINSMITH_BASE_URL'] = 'http://127.0.0.1:9';
  const lines = [
    'status',
    'skins get',
    '--base-url',
    'users get',
    'keys edit',
    'config set x',
    'no-such',
    '--x',
  ];
  for (const line of lines) {
    const { exitCode, stderr } = await machine.run(['complete', '--current=', '--', ...line.split(' ')]);
    expect([exitCode, stderr]).toEqual([0, '']);
  }
  expect((await machine.run(['--help'])).stdout).not.toMatch(/^ +complete\b/m);
  const refused = await machine.run(['completion', 'tcsh']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('bash, zsh, fish, powershell'),
  ]);
});
