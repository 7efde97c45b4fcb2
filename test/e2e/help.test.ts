import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { ENVIRONMENT } from '../../src/cli/config/settings.ts';
import { EXIT_STATUSES } from '../../src/cli/errors/exit.ts';
import { shownCommands } from '../../src/cli/help/help-page.ts';
import { formatsPage } from '../../src/cli/man/formats-page.ts';
import { renderFormatsPage, renderManPage } from '../../src/cli/man/man-page.ts';
import { AUDIENCES, FORMAT_ROWS, SOURCE_EXAMPLES } from '../../src/cli/man/topic-pages.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { freshMachine } from '../support/program/program.ts';

const PAGES = join(import.meta.dirname, 'help');

/** Every command line that has a help of its own, from the tree. */
function linesOf(command: Command, words: readonly string[] = []): string[][] {
  return [[...words], ...shownCommands(command).flatMap((inner) => linesOf(inner, [...words, inner.name()]))];
}

const program = await buildProgram({ runner: () => async () => {} });
const ROWS = linesOf(program).map((words) => ({ words, name: ['skinsmith', ...words].join('-') }));

test.each(ROWS)('The help of $name matches its stored page', async ({ words, name }) => {
  const { exitCode, stdout, stderr } = await (await freshMachine()).run([...words, '--help']);
  expect([exitCode, stderr]).toEqual([0, '']);
  await expect(stdout).toMatchFileSnapshot(join(PAGES, `${name}.txt`));
});

test('Every stored page of help has a command', async () => {
  const pages = (await readdir(PAGES)).map((file) => file.replace(/\.txt$/, ''));
  expect(ROWS.map(({ name }) => name)).toEqual(expect.arrayContaining(pages));
});

test('skinsmith without any words prints one screen that leads to a first skin', async () => {
  const { exitCode, stdout, stderr } = await (await freshMachine()).run([]);
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(23); // 24 rows with the prompt
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout).toContain('skinsmith generate skin.png');
  expect((await (await freshMachine()).run(['-h'])).stdout).toBe(stdout);
});

test.each(ROWS)(
  'The help of $name fits 80 columns and has the global options only at the top',
  async ({ name }) => {
    const text = await readFile(join(PAGES, `${name}.txt`), 'utf8');
    const wide = text.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $ ')); // commands stay whole
    expect(wide).toEqual([]);
    expect(text.match(/--base-url <url>/g)?.length ?? 0).toBe(name === 'skinsmith' ? 1 : 0);
  },
);

test('Every command of the top level stands below a heading', () => {
  expect(
    shownCommands(program)
      .filter((command) => !command.helpGroup())
      .map((command) => command.name()),
  ).toEqual([]);
});

test.each([
  [['help', 'doctr'], "unknown command 'doctr'\n(Did you mean doctor?)\nSee 'skinsmith --help'."],
  [
    ['examples/smith.png'],
    "unknown command 'examples/smith.png'\n(To make a skin from it: skinsmith generate examples/smith.png)",
  ],
  [['make'], "unknown command 'make'\n(Did you mean generate?)"],
  [['list'], "unknown command 'list'\n(Did you mean one of jobs, skins?)"],
  [['keys', 'delete'], "unknown command 'delete'\n(Did you mean revoke?)\nSee 'skinsmith keys --help'."],
  [['skins', 'show'], "unknown command 'show'\n(Did you mean get?)"],
  [
    ['generate', '--variant', 'slm', 'a.png'],
    'Allowed choices are auto, classic, slim.\n(Did you mean slim?)',
  ],
  [['generate', '--format', 'citizen', 'a.png'], '(Did you mean citizens?)'],
  [['generate', '--format', 'json,gve', 'a.png'], '(Did you mean give?)'],
  [['status'], "missing required argument 'job'\n(To list your jobs: skinsmith jobs)"],
  [['gen'], "unknown command 'gen'\n(Did you mean generate?)\nSee 'skinsmith --help'."],
  [['acc', 'list'], "unknown command 'acc'\n(Did you mean accounts?)"],
  [['re'], "unknown command 're'\n(Did you mean one of retry, render, reports, restore?)"],
  [['generate', '--vis', 'x'], "unknown option '--vis'\n(Did you mean --visibility?)"],
  [['generate', '--ins'], "unknown option '--ins'\n(Did you mean --insecure-http?)"],
  [['generate', '--p'], "unknown option '--p'\nSee 'skinsmith generate --help'."],
  [['doctr'], "unknown command 'doctr'\n(Did you mean doctor?)\nSee 'skinsmith --help'."],
  [['help', 'skins', 'lst'], "unknown command 'lst'\n(Did you mean list?)\nSee 'skinsmith skins --help'."],
  [
    ['generate', '--nam'],
    "unknown option '--nam'\n(Did you mean one of --name, --namespace?)\nSee 'skinsmith generate --help'.",
  ],
  [['skins', 'get'], "missing required argument 'uuid'\nSee 'skinsmith skins get --help'."],
  [['skins', 'list', '--limit', 'x'], "See 'skinsmith skins list --help'."],
])('%j is a usage error that leads to the help of that command', async (words, text) => {
  const { exitCode, stdout, stderr } = await (await freshMachine()).run(words);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
});

test('A usage error names the place of the help in JSON output as well', async () => {
  const { stderr } = await (await freshMachine()).run(['skins', 'get', '--json']);
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'usage',
      message: "missing required argument 'uuid'",
      hint: "See 'skinsmith skins get --help'.",
    },
  });
});

test('help shows what --help shows, and topics', async () => {
  const machine = await freshMachine();
  const [asked, helped] = [
    await machine.run(['skins', 'get', '--help']),
    await machine.run(['help', 'skins', 'get']),
  ];
  expect(helped).toEqual(asked);
  const { stdout: statuses } = await machine.run(['help', 'exit-status']);
  for (const { status, meaning } of Object.values(EXIT_STATUSES))
    expect(unwrapped(statuses)).toContain(`${status} ${meaning}`);
  const { stdout: formats } = await machine.run(['help', 'formats']);
  for (const [name, content] of FORMAT_ROWS) expect(unwrapped(formats)).toContain(`${name} ${content}`);
  const { stdout: sources } = await machine.run(['help', 'sources']);
  for (const [example, source] of SOURCE_EXAMPLES)
    expect(unwrapped(sources)).toContain(`${example} ${source}`);
  const { stdout: audiences } = await machine.run(['help', 'who-sees-it']);
  for (const [way, who] of AUDIENCES) expect(unwrapped(audiences)).toContain(`${way} ${who}`);
  const { stdout: output } = await machine.run(['help', 'output']);
  expect(unwrapped(output)).toContain(
    'generate, queue --wait, status, retry --wait: Columns: source, status',
  );
  const { stdout: variables } = await machine.run(['help', 'environment']);
  for (const [name, meaning] of ENVIRONMENT) expect(unwrapped(variables)).toContain(`${name} ${meaning}`);
});

test('help --man prints the manual pages that packages install, and --version --json what programs need', async () => {
  const machine = await freshMachine();
  for (const command of [program, ...program.commands.filter((one) => one.name() === 'skins')]) {
    const words = command.parent ? ['skins'] : [];
    const { exitCode, stdout } = await machine.run(['help', '--man', ...words]);
    expect([exitCode, stdout]).toEqual([0, renderManPage(command, VERSION)]);
  }
  expect((await machine.run(['help', '--man', 'output'])).stdout).toBe(
    renderFormatsPage(formatsPage(program), VERSION),
  );
  expect((await machine.run(['help', '--man', 'skinz'])).exitCode).toBe(2);
  const { stdout } = await machine.run(['--version', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ version: VERSION, schema: expect.any(Number) });
});

function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
