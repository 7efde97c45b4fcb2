import { Command } from 'commander';
import { expect, test } from 'vitest';
import { completionOf, type LocalKind } from '../../../../src/cli/commands/complete.ts';
import { FORMAT_NAMES } from '../../../../src/cli/output/format-names.ts';
import { buildProgram } from '../../../../src/cli/program.ts';

const program = await buildProgram({ runner: () => async () => {} });

/** Completes the last word of a line. Stored values are shown by their kind and the word before. */
async function complete(line: string, tree = program) {
  const words = line.split(' ');
  const current = words.pop() ?? '';
  const stored = async (kind: LocalKind, previous: string) => [{ value: `stored ${kind} ${previous}` }];
  const { paths, lead, values } = await completionOf(tree, words, current, stored);
  return { paths, lead, values: values.map(({ value }) => value) };
}
const nothing = { paths: 'none', lead: '', values: [] };
const stored = (values: string, lead = '') => ({ paths: 'none', lead, values: [`stored ${values}`] });
const words = (...values: string[]) => ({ paths: 'none', lead: '', values });

test('Commands are offered with their descriptions; hidden commands are not offered', async () => {
  const { values, paths } = await completionOf(program, [], 'ge', async () => []);
  expect(values).toContainEqual({
    value: 'generate',
    about: 'make skins and print their values and signatures',
  });
  expect([paths, values.some(({ value }) => value === 'complete')]).toEqual(['none', false]);
  expect(await complete('--json -q keys ')).toEqual(words('create', 'list', 'edit', 'revoke'));
  expect(await complete('--base-url keys keys ')).toEqual(words('create', 'list', 'edit', 'revoke'));
});

test('Completion offers the options of the command and of the program, each once', async () => {
  const { values } = await complete('skins list --');
  for (const name of ['--limit', '--base-url', '-q', '--quiet']) expect(values).toContain(name);
  expect(new Set(values).size).toBe(values.length);
  expect((await complete('--')).values).not.toContain('--limit');
});

test('Arguments are completed according to their kind', async () => {
  expect(await complete('generate ')).toEqual({ paths: 'files', lead: '', values: [] });
  expect(await complete('status ')).toEqual(stored('jobs status'));
  expect(await complete('status one two ')).toEqual(stored('jobs two'));
  expect(await complete('status -- -')).toEqual(stored('jobs --'));
  expect(await complete('retry ')).toEqual(stored('jobs retry'));
  expect(await complete('skins get ')).toEqual(stored('skins get'));
  expect(await complete('keys revoke ')).toEqual(stored('keys revoke'));
  expect(await complete('identities delete ')).toEqual(stored('identities delete'));
  expect(await complete('users disable ')).toEqual(stored('users disable'));
  expect(await complete('users edit alice ')).toEqual(nothing);
  expect(await complete('users create ')).toEqual(nothing);
  expect(await complete('config set ')).toEqual(stored('settings set'));
  expect(await complete('config set color ')).toEqual(stored('setting-values color'));
  expect(await complete('completion ')).toEqual(words('bash', 'zsh', 'fish', 'powershell'));
  expect((await complete('help ')).values).toEqual(expect.arrayContaining(['generate', 'exit-status']));
});

test.each(['preview ', 'render '])('%j is completed with skins of the service and files', async (line) => {
  expect(await complete(line)).toEqual({ ...stored(`skins ${line.trim()}`), paths: 'files' });
});

test('Values of options are completed according to their kind, after a space or an equals sign', async () => {
  expect(await complete('generate --visibility ')).toEqual(words('public', 'unlisted', 'private'));
  expect(await complete('generate --visibility=pu')).toEqual({
    ...words('public', 'unlisted', 'private'),
    lead: '--visibility=',
  });
  expect(await complete('generate --name ')).toEqual(nothing);
  expect(await complete('generate --quiet=')).toEqual({ ...nothing, lead: '--quiet=' });
  expect(await complete('generate --no-such=')).toEqual({ ...nothing, lead: '--no-such=' });
  expect(await complete('keys create --user ')).toEqual(stored('users --user'));
  expect(await complete('serve --oidc-scopes ')).toEqual(nothing);
  expect(await complete('serve --login-client-id ')).toEqual(nothing);
  expect(await complete('backup --data ')).toEqual({ ...nothing, paths: 'folders' });
  expect(await complete('generate --out=si')).toEqual({ paths: 'files', lead: '--out=', values: [] });
  expect(await complete('--base-url ')).toEqual(stored('services --base-url'));
  expect(await complete('--base-url=h')).toEqual(stored('services ', '--base-url='));
});

test('Each part of a comma-separated list is completed', async () => {
  const formats = { paths: 'none', values: FORMAT_NAMES };
  expect(await complete('generate --format ')).toEqual({ ...formats, lead: '' });
  expect(await complete('generate --format json,va')).toEqual({ ...formats, lead: 'json,' });
  expect(await complete('generate --format=json,value,')).toEqual({
    ...formats,
    lead: '--format=json,value,',
  });
});

test('--report is completed with a kind and then a file', async () => {
  expect(await complete('generate --report ')).toEqual(words('junit=', 'html='));
  expect(await complete('generate --report html=o')).toEqual({ paths: 'files', lead: 'html=', values: [] });
  expect(await complete('generate --report=html=o')).toEqual({
    paths: 'files',
    lead: '--report=html=',
    values: [],
  });
});

test('A command whose options are not loaded offers nothing', async () => {
  const tree = new Command('skinsmith');
  tree.command('keys');
  expect(await complete('keys ', tree)).toEqual(nothing);
});
