import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runCheck } from '../../../src/cli/commands/check.ts';
import { runGenerate } from '../../../src/cli/commands/generate.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { readSecretFile, readStdinText } from '../../../src/cli/terminal/read-input.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { testIo } from '../../support/cli/test-io.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

describe('A secret is read', () => {
  const signal = new AbortController().signal;

  test('from stdin, without the mark that Windows writes', async () => {
    const stdin = PassThrough.from([Buffer.from('\uFEFFgeheim')]);
    expect(await readSecretFile('-', 'key', { io: { stdin }, signal })).toBe('geheim');
  });

  test('from a pipe, such as a shell makes for <(…)', async () => {
    const path = join(await ownFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const [secret] = await Promise.all([readSecretFile(path, 'key', {}), writeFile(path, 'geheim\n')]);
    expect(secret).toBe('geheim\n');
  });

  test('from a file in UTF-16', async () => {
    const path = join(await ownFolder(), 'key.txt');
    await writeFile(path, Buffer.from('\uFEFFgeheim', 'utf16le'));
    expect(await readSecretFile(path, 'key', {})).toBe('geheim');
  });
});

describe('A stdin on which nothing comes', () => {
  test('is not waited for after an interruption', async () => {
    const stop = new AbortController();
    const read = readStdinText({ io: { ...testIo().io, stdin: new PassThrough() }, signal: stop.signal });
    await setImmediate();
    stop.abort();
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  });

  const runs: [typed: string, run: (context: CommandContext) => Promise<number>][] = [
    ['check -', async (context) => await runCheck(['-'], {}, context)],
    ['generate -', async (context) => await runGenerate(['-'], {}, context)],
    ['generate --from -', async (context) => await runGenerate([], { from: ['-'] }, context)],
    ['generate - --dry-run', async (context) => await runGenerate(['-'], { dryRun: true }, context)],
  ];
  test.each(runs)('does not keep %s from ending at Ctrl-C', async (_, run) => {
    const stop = new AbortController();
    const options = { answers: () => undefined, signal: stop.signal };
    const ran = runCommand(async (context) => {
      context.io.stdin.on('newListener', (event) => {
        if (event === 'readable') process.nextTick(() => stop.abort()); // it is being read
      });
      return await run(context);
    }, options);
    expect((await ran).told?.exit).toBe('interrupted');
  });
});
