import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { completionScript } from '../../../src/cli/completion/scripts.ts';
import { SHELLS } from '../../../src/cli/completion/shells.ts';

/** A tree with everything that scripts must cope with. */
function sampleProgram(): Command {
  const program = new Command('skinsmith')
    .option('-q, --quiet', "don't talk")
    .option('--base-url <url>', 'x');
  const group = program.command('skins').summary('list: what’s there');
  group.command('list').alias('ls').option('--limit <number>', 'at most').summary('list them');
  group.command('get').argument('<uuid...>', 'ids').option('--format <formats>', 'as').summary('print one');
  program.command('secret', { hidden: true });
  return program;
}

const scriptOf = (shell: (typeof SHELLS)[number]) => completionScript(shell, sampleProgram());

describe.each(SHELLS)('The script for %s', (shell) => {
  test('has every command, option and kind of value, and nothing hidden', () => {
    const script = scriptOf(shell);
    for (const word of ['skins', 'list', 'get', 'quiet', 'base-url', 'limit', 'format'])
      expect(script).toMatch(new RegExp(`\\b${word}\\b`));
    for (const what of ['services', 'skins']) expect(script).toContain(`ask ${what}`);
    expect(script).not.toMatch(/\bsecret\b|\bls\b/);
  });

  test('is the same each time', () => {
    expect(scriptOf(shell)).toBe(scriptOf(shell));
  });
});

test('bash knows what follows each command', () => {
  const script = scriptOf('bash');
  expect(script).toContain("'skins') options='-h --help' commands='list get' ;;");
  expect(script).toContain("'skins get') options='--format -h --help' arguments=('ask skins') more=1 ;;");
  expect(script).toContain("'skins list --limit') values='none' ;;");
  expect(script).toContain("'--base-url') values='ask services' ;;");
});

test('zsh has descriptions, with their quotes escaped', () => {
  const script = scriptOf('zsh');
  expect(script.startsWith('#compdef skinsmith\n')).toBe(true);
  expect(script).toContain(String.raw`'--quiet:don'\''t talk'`);
  expect(script).toContain("commands=('list:list them' 'get:print one')");
  expect(script).toContain("'skins get') options=");
  expect(script).toContain("'skins get --format') values='list json value ");
});

test('fish has a line for each command, option and argument', () => {
  const lines = scriptOf('fish').split('\n');
  expect(lines).toContain(
    String.raw`complete -c skinsmith -n '__skinsmith_at \'skins\'' -a 'list' -d 'list them'`,
  );
  expect(lines).toContain(String.raw`complete -c skinsmith -s q -l quiet -d 'don\'t talk'`);
  expect(lines).toContain(
    String.raw`complete -c skinsmith -n '__skinsmith_at \'skins get\' 0 more' -f -k -a '(__skinsmith_ask skins)'`,
  );
  expect(lines).toContain(
    String.raw`complete -c skinsmith -n '__skinsmith_at \'skins list\'' -l limit -r -f -d 'at most'`,
  );
});

test('PowerShell has tables of what follows, of values and of descriptions, with every quote doubled', () => {
  const script = scriptOf('powershell');
  expect(script).toContain(
    "'skins get' = @{ commands = @(); options = @('--format', '-h', '--help'); arguments = @('ask skins'); more = $true }",
  );
  expect(script).toContain("$valued['skins list --limit'] = 'none'");
  expect(script).toContain("$about[' skins'] = 'list: what’’s there'");
  expect(script).toContain("$about[' --quiet'] = 'don''t talk'");
});

test('PowerShell tells -v from -V: its literal tables do not, and refuse the second', () => {
  const program = sampleProgram().version('1', '-V, --version').option('-v, --verbose', 'talk');
  const lines = completionScript('powershell', program).split('\n');
  expect(lines.filter((line) => /' -v'\]/i.test(line))).toHaveLength(2);
  const keys = lines.flatMap((line) => /^ {8}('[^']*') = /.exec(line)?.[1]?.toLowerCase() ?? []);
  expect(keys).toContain("'skins get'");
  expect(new Set(keys).size).toBe(keys.length);
});
