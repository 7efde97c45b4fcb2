import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { decodePng } from '../../src/skin/png/decode.ts';
import { type CodeBlock, codeBlocks, type Entry, shellEntries } from '../support/docs/code-blocks.ts';
import { FreshClone } from '../support/docs/fresh-clone.ts';
import { Shell } from '../support/docs/shell.ts';
import { runSteps, stepsOf } from '../support/docs/workflow.ts';
import { runGame } from '../support/fake-game/run-game.ts';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { PROGRAM, saying } from '../support/program/program.ts';
import { giveSigningKey } from '../support/server/running-server.ts';
import { testWhole } from '../support/setup/extent.ts';
import { isWhole } from '../support/setup/whole-run.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = await readFile(join(ROOT, 'README.md'), 'utf8');
/** What a reader tries next, in the same clone; `docs/commands.test.ts` knows all words of it. */
const NEXT = ['docs/first-skin.md', 'docs/plugin-authors.md'];
const CI = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');

/** Some sixty commands one after the other: on a busy machine they need longer than other tests. Milliseconds. */
const LONG = 600_000;

type Rewrites = readonly (readonly [written: RegExp, typed: string])[];

/** A reader at a machine of their own. What the network would answer is answered on the loopback. */
class Reader {
  readonly clone: FreshClone;
  readonly #shell: Shell;
  readonly #rewrites: Rewrites;
  readonly #serving = new Set<string>();

  private constructor(clone: FreshClone, rewrites: Rewrites) {
    this.clone = clone;
    this.#rewrites = rewrites;
    this.#shell = new Shell(clone);
  }

  static async sitDown(): Promise<Reader> {
    const clone = await FreshClone.make();
    const hosted = await runHosted({ rate: { limit: 60 } });
    const game = await runGame();
    const picture = decodePng(await readFile(join(ROOT, 'examples/smith.png')));
    const notch = game.addPlayer({ name: 'Notch', skin: { picture } });
    clone.env['SKINSMITH_GAME_ADDRESSES'] = JSON.stringify(game.addresses);
    clone.env['MINESKIN_KEY'] = hosted.key;
    // Its first start makes a key as the first command does, which takes as long as ten commands.
    const serviceDir = join(clone.folder, 'var');
    await mkdir(serviceDir);
    await giveSigningKey(serviceDir);
    const port = await freePort();
    return new Reader(clone, [
      // A person types the key at the prompt of login.
      [/^skinsmith login [^#]*/, `$& - <<< "$MINESKIN_KEY" `],
      [/https:\/\/api\.mineskin\.org/g, hosted.url],
      // The reader sits in a clone already.
      [/^git clone .*/, ':'],
      // The package is not published yet.
      [/\bskinsmith@[\d.]+/g, 'skinsmith'],
      // No key of the game signs anything here; test/docs/commands.test.ts knows the option.
      [/--require-signer game\b/, ''],
      [/https:\/\/example\.org\/skin\.png/g, `${game.url}/texture/${notch.look.skin?.hash}`],
      [/\/var\/lib\/skinsmith/g, serviceDir],
      [/\b7546\b/g, String(port)],
    ]);
  }

  /** Types the shell's blocks line by line, in the order of reading. @throws Error naming the first line that fails */
  async follow(markdown: string): Promise<number> {
    const entries = codeBlocks(markdown)
      .filter(({ language }) => language === 'sh')
      .flatMap(shellEntries);
    for (const entry of entries) await this.#type(entry);
    return entries.length;
  }

  /** Runs a program in the clone. */
  async runProgram({ code, line }: CodeBlock): Promise<string> {
    const file = join(this.clone.cwd, `line-${line}.ts`);
    await writeFile(file, this.#rewritten(code));
    const { cwd, env } = this.clone;
    const { stdout } = await execa('node', [file], { cwd, env });
    return stdout;
  }

  /** Runs the commands of a workflow's steps, as a runner with nothing in its home does. */
  async runWorkflow({ code, line }: CodeBlock): Promise<number> {
    const [, block = ''] = /\n {4}env:\n((?: {6}.*\n)+)/.exec(code) ?? [];
    const pairs = [...block.matchAll(/^ {6}(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      this.#rewritten(
        value.replace(/^\$\{\{ secrets\.MINESKIN_KEY \}\}$/, this.clone.env['MINESKIN_KEY'] ?? ''),
      ),
    ]);
    const home = join(this.clone.folder, 'runner');
    const env = { ...this.clone.env, ...Object.fromEntries(pairs), HOME: home };
    const steps = stepsOf(this.#rewritten(code));
    const { statuses, output } = await runSteps(steps, 'push', { cwd: this.clone.cwd, env });
    assertDone({ status: statuses.find(Boolean) ?? 0, output }, 'the workflow', line);
    return steps.length;
  }

  async #type({ text, line }: Entry): Promise<void> {
    const typed = this.#rewritten(text);
    if (/^skinsmith serve /.test(typed)) return await this.#serve(typed);
    assertDone(await this.#shell.type(typed), text, line);
  }

  /** In a terminal of its own, until the test ends. */
  async #serve(typed: string): Promise<void> {
    const line = typed.replace(/\s+#.*/, '');
    if (this.#serving.has(line)) return;
    this.#serving.add(line);
    const { cwd, env } = this.clone;
    const started = typed.replace(/^skinsmith/, PROGRAM.join(' '));
    const child = execa('bash', ['-c', `exec ${started}`], { cwd, env, reject: false });
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await child;
    });
    await saying(child, 'stdout', /^Listening on /m);
  }

  #rewritten(text: string): string {
    return this.#rewrites.reduce((typed, [written, instead]) => typed.replace(written, instead), text);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

function assertDone(
  { status, output }: { status: number; output: string },
  text: string,
  line: number,
): void {
  if (status !== 0) throw new Error(`Line ${line} ended with ${status}: ${text}\n${output}`);
}

test(
  'Every line of the README and of the pages after it works as written, in order, in a fresh clone',
  async () => {
    const reader = await Reader.sitDown();
    expect(await reader.follow(README)).toBeGreaterThanOrEqual(18);
    const blocks = codeBlocks(README);
    for (const program of blocks.filter(({ language }) => language === 'ts')) {
      expect(await reader.runProgram(program)).toMatch(/^ey\S+ \S{684}$/);
    }
    for (const document of isWhole ? NEXT : NEXT.slice(0, 1)) {
      expect(await reader.follow(await readFile(join(ROOT, document), 'utf8'))).toBeGreaterThanOrEqual(10);
    }
    const [workflow] = codeBlocks(CI).filter(({ language }) => language === 'yaml');
    expect(await reader.runWorkflow(workflow!)).toBe(3);
    const { stdout } = await execa('git', ['log', '--format=%s', 'origin/main'], {
      cwd: reader.clone.cwd,
    });
    expect(stdout.split('\n')[0]).toBe('Sign skins');
    const left = await execa('git', ['status', '--porcelain', '--', ':!node_modules', ':!dist'], {
      cwd: reader.clone.cwd,
    });
    const isLeft = (line: string) => /^\?\? (?:signed|(?:job|pack|functions|smith)\.|skins)/.test(line);
    expect(left.stdout.split('\n').filter(isLeft)).toEqual([]);
  },
  LONG,
);

// It judges this test, not the program.
testWhole('A line of the README that does not work is named', async () => {
  const reader = await Reader.sitDown();
  const early = '```sh\nnpm install\nskinsmith --version\n```\n';
  await expect(reader.follow(early)).rejects.toThrow('Line 3 ended with 127');
  const broken =
    '# Title\n\n```sh\nnpm install -g .\nskinsmith --version # well\nskinsmith generate no/such.png\n```\n';
  await expect(reader.follow(broken)).rejects.toThrow(
    /^Line 6 ended with \d+: skinsmith generate no\/such\.png/,
  );
});

test('The README has fewer than 140 lines, and no block in a language that is not tried', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThan(140);
  const languages = new Set(codeBlocks(README).map(({ language }) => language));
  expect([...languages].sort()).toEqual(['powershell', 'sh', 'ts']);
});

test('Blocks for PowerShell use nothing that only other shells understand', () => {
  const documents = globSync('docs/*.md', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const blocks = [README, ...documents]
    .flatMap(codeBlocks)
    .filter(({ language }) => language === 'powershell');
  expect(blocks).not.toEqual([]);
  for (const { code } of blocks) expect(code).not.toMatch(/&&|\|\||\$\(|\bcut\b|\bexport\b/);
});

test('The workflow for CI names this version of skinsmith', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const named = [...CI.matchAll(/\bskinsmith@v?(\S+)/g)].map(([, one]) => one);
  expect(new Set(named)).toEqual(new Set([version]));
});
