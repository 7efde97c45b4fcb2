import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { execa, type ResultPromise } from 'execa';
import { onTestFinished, test } from 'vitest';
import { examplesOf, fullName } from '../../src/cli/help/help-page.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { refusal } from '../support/docs/refusal.ts';
import type { FakeGame } from '../support/fake-game/fake-game.ts';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { ownDatabase } from '../support/postgres/own-database.ts';
import { callProgram, type Ran } from '../support/program/call-program.ts';
import { writeForShells } from '../support/program/called-by-shells.ts';
import { freshMachine, type Machine } from '../support/program/program.ts';
import { runAccountServer } from '../support/server/account-server.ts';
import { capePng } from '../support/server/drawn-capes.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { linkIdentity } from '../support/server/linked-identity.ts';
import type { ServerUnderTest } from '../support/server/running-server.ts';
import { webServer } from '../support/server/web-server.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** Commands of a service that someone runs; all others are typed on a machine without one. */
const OF_A_SERVICE = ['keys', 'identities', 'capes', 'users', 'accounts', 'reports', 'moderation', 'whoami'];

const isVisible = (command: Command) => !(command as Command & { _hidden?: boolean })._hidden;
const program = await buildProgram({ runner: () => async () => {} });

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.filter(isVisible).flatMap(commandsOf)];
}

const COMMANDS = commandsOf(program);

test.each(COMMANDS.map((command) => [fullName(command), command] as const))(
  '%s has two to four examples, which all use it',
  (name, command) => {
    const examples = examplesOf(command);
    const foreign = examples.filter(([, line]) => !line.includes(name));
    const few = examples.length < 2 || examples.length > 4;
    if (few || foreign.length > 0) throw new Error(JSON.stringify({ name, examples }));
  },
);

test('Every example of every command does what it says, one after the other', async () => {
  const bench = await Bench.open();
  const failures: string[] = [];
  for (const command of COMMANDS.filter(({ commands }) => commands.length === 0)) {
    for (const [, line] of examplesOf(command)) {
      const told = await bench.run(line, fullName(command).split(' ')[1] ?? '');
      if (told !== undefined) failures.push(told);
    }
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
});

/** The words of a line that a shell does nothing more with; undefined for another line, which needs a shell. */
function plainWords(line: string): string[] | undefined {
  const isPlain = /^skinsmith(?: (?:'[^']*'|"[^"$`\\!]*"|[\w@%+=:,./-]+))+$/.test(line);
  return isPlain
    ? line.match(/'[^']*'|"[^"]*"|\S+/g)?.map((word) => word.replaceAll(/['"]/g, ''))
    : undefined;
}

/** A folder with what the examples name, a service, and the game. */
class Bench {
  readonly #machine: Machine;
  readonly #folder: string;
  readonly #env: Record<string, string>;
  readonly #server: ServerUnderTest;
  readonly #game: FakeGame;
  readonly #hosted: string;
  #identities = 0;
  /** Address of an empty PostgreSQL database. */
  #database = '';
  /** What the words in capitals stand for: printed by the examples before. */
  readonly #words = new Map<string, string>();

  private constructor(
    machine: Machine,
    parts: { server: ServerUnderTest; game: FakeGame; hosted: string; registry: string },
  ) {
    this.#machine = machine;
    this.#folder = join(machine.folder, 'work');
    this.#server = parts.server;
    this.#game = parts.game;
    this.#hosted = parts.hosted;
    this.#env = {
      ...machine.env,
      PATH: `${join(machine.folder, 'bin')}:${machine.env['PATH']}`,
      SKINSMITH_GAME_ADDRESSES: JSON.stringify(parts.game.addresses),
      npm_config_registry: parts.registry,
    };
  }

  static async open(): Promise<Bench> {
    const { fake: game, server } = await runAccountServer({}, { interval: 0.05 });
    for (const [index, name] of ['Notch', 'jeb_'].entries())
      game.addPlayer({ name, skin: { picture: drawSkin(7 + index) } });
    const machine = await freshMachine();
    const hosted = await runHosted();
    const { url: registry } = await webServer((_, response) => void response.end('{"version":"99.0.0"}'));
    const parts = { server, game, hosted: hosted.url, registry };
    const bench = new Bench(machine, parts);
    await bench.#lay(hosted.key);
    bench.#database = await ownDatabase();
    return bench;
  }

  async #lay(hostedKey: string): Promise<void> {
    const at = (...names: string[]) => join(this.#folder, ...names);
    await mkdir(at('skins', 'more'), { recursive: true });
    await writeForShells(join(this.#machine.folder, 'bin/skinsmith'));
    for (const name of ['skin', 'knight']) await writeFile(at(`${name}.png`), skinPng(1));
    for (const [stem, number] of [
      ['smith', 2],
      ['draft', 3],
      ['more/tom', 4],
    ] as const)
      await writeFile(at('skins', `${stem}.png`), skinPng(number));
    await writeFile(at('skins.csv'), 'source,name\nskins/smith.png,Smith\nskins/more/tom.png,Tom\n');
    await writeFile(at('names.csv'), 'name,user\nAlex,owner\n');
    for (const [index, name] of ['team', 'winter', 'spring-2026', 'cape'].entries())
      await writeFile(at(`${name}.png`), capePng(index + 1));
    await writeFile(at('mineskin.key'), `${hostedKey}\n`);
    await writeFile(at('team.key'), `${this.#server.key}\n`);
    const steve = this.#game.addAccount({ name: 'Steve' });
    this.#game.addAccount({ name: 'Alex' });
    await writeFile(at('token.txt'), steve.token);
    await this.#type('skinsmith config set visibility public', '');
    const ready = this.#game.addAccount({ name: 'Ready' });
    await writeFile(at('ready.txt'), ready.token);
    await this.#type('skinsmith accounts link --token-file ready.txt', 'accounts');
    await this.#type('skinsmith capes create spring-2026.png', 'capes');
    await this.#makeOnService('SKIN', 'skins/smith.png');
    await this.#makeOnService('OTHER', 'skins/draft.png');
    const other = this.#words.get('OTHER') ?? '';
    const { stdout } = await this.#type(`skinsmith sets create reported ${other} --json`, 'moderation');
    this.#words.set('SET', String((JSON.parse(String(stdout)) as { uuid: string }).uuid));
  }

  /** A skin that operators decide about. */
  async #makeOnService(word: string, file: string): Promise<void> {
    const { stdout } = await this.#type(`skinsmith generate ${file}`, 'moderation');
    this.#words.set(word, String(stdout).split('\t')[3] ?? '');
  }

  /** Runs an example as it stands, but for addresses and words in capitals. Answers what went wrong. */
  async run(line: string, group: string): Promise<string | undefined> {
    if (group === 'identities') await this.#linkIdentity(line.includes('alice') ? 'alice' : 'owner');
    const typed = this.#stand(line);
    // Otherwise e2e/serve, cli/commands/open and test/conformance start them.
    if (!isWhole && /^skinsmith (serve|open|conformance)/.test(line)) return await this.#read(line);
    if (/^skinsmith (serve|open)\b/.test(line)) return await this.#serve(typed);
    if (group === 'retry') this.#failJob();
    const ran = line === 'skinsmith accounts link' ? this.#link(typed) : this.#type(typed, group);
    const { exitCode, stdout, stderr } = await ran;
    await this.#learn(group, String(stdout));
    return exitCode === 0 ? undefined : `${typed}\nexit ${exitCode}\n${stdout}${stderr}`;
  }

  /** Whether the program takes such a line. */
  async #read(line: string): Promise<string | undefined> {
    const refused = await refusal(plainWords(line)?.slice(1) ?? []);
    return refused && `${line}\n${refused}`;
  }

  /** The embedded service fails no job by itself. */
  #failJob(): void {
    const store = new DatabaseSync(join(this.#machine.dataDir, 'skinsmith.db'));
    const fail =
      "update jobs set status = 'failed', error_code = 'generator_timeout', error_message = 'It took too long.'";
    store.prepare(`${fail}, skin_uuid = null where uuid = ?`).run(this.#words.get('JOB') ?? '');
    store.close();
  }

  /** People come from a provider, which the examples have not. */
  async #linkIdentity(user: string): Promise<void> {
    const subject = `person-${this.#identities++}`;
    await linkIdentity(this.#server, user, subject);
    const listed = await this.#call(['skinsmith', 'identities', 'list', '--user', user], 'identities');
    const own = listed.stdout.split('\n').find((row) => row.includes(subject)) ?? '';
    this.#words.set('IDENTITY', own.split('\t')[0] ?? '');
  }

  #stand(line: string): string {
    let typed = line
      .replaceAll('postgres://skins@db.example.org/skins', this.#database)
      .replaceAll('~/.local/share/skinsmith', this.#machine.dataDir)
      .replaceAll('https://api.mineskin.org', this.#hosted)
      .replaceAll(/(--base-url )https:\/\/skins\.example\.org/g, `$1${this.#server.url}`)
      .replace(/^skinsmith conformance/, '$& --pause 0');
    for (const [word, value] of this.#words)
      typed = typed.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), value);
    return typed;
  }

  /** Starts a shell only for a line that needs one. */
  #type(line: string, group: string): Promise<Ran> | ResultPromise {
    const words = plainWords(line);
    return words ? this.#call(words, group) : this.#shell(line, group);
  }

  async #call([, ...args]: readonly string[], group: string): Promise<Ran> {
    return await callProgram(args, { cwd: this.#folder, env: this.#envFor(args.join(' '), group) });
  }

  #envFor(line: string, group: string): Record<string, string> {
    const isOfService = OF_A_SERVICE.includes(group) || line.includes(`--base-url ${this.#server.url}`);
    const key = isOfService && !line.includes('login') && { SKINSMITH_API_KEY: this.#server.key ?? '' };
    const url = isOfService && { SKINSMITH_BASE_URL: this.#server.url };
    return { ...this.#env, ...url, ...key };
  }

  #shell(line: string, group: string): ResultPromise {
    const child = execa('bash', ['-o', 'pipefail', '-c', line], {
      cwd: this.#folder,
      env: this.#envFor(line, group),
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  /** Starts a plain line as a process of its own. */
  #start(line: string, group: string): ResultPromise {
    const [, ...args] = plainWords(line) ?? [];
    return this.#machine.start(args, { cwd: this.#folder, env: this.#envFor(line, group) });
  }

  /** A service runs until it is stopped. */
  async #serve(line: string): Promise<string | undefined> {
    const browser = line.startsWith('skinsmith open') ? ' --no-browser' : '';
    const child = this.#start(`${line}${browser} --port 0 --json`, 'serve');
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const { exitCode, stdout, stderr } = await child;
    return exitCode === 0 && String(stdout).includes('"url"')
      ? undefined
      : `${line}\nexit ${exitCode}\n${stderr}`;
  }

  /** Runs a line that shows a code; the owner of the account enters it at Microsoft. */
  #link(line: string): ResultPromise {
    const child = this.#start(line, 'accounts');
    const alex = this.#game.accounts.find(({ name }) => name === 'Alex');
    child.stderr?.on('data', (chunk: Buffer) => {
      const code = /enter the code (\S+)/.exec(chunk.toString())?.[1];
      if (code !== undefined && alex) this.#game.microsoft.approve(code, alex.id);
    });
    return child;
  }

  async #learn(group: string, stdout: string): Promise<void> {
    const cells = stdout.split('\n')[0]?.split('\t') ?? [];
    if (group === 'queue' && !this.#words.has('JOB')) this.#words.set('JOB', cells[0] ?? '');
    if (group === 'generate' && cells[3]) this.#words.set('UUID', cells[3]);
    if (group === 'keys' && !this.#words.has('KEY_ID') && cells[0]?.startsWith('sksm_'))
      this.#words.set('KEY_ID', cells[1] ?? '');
  }
}
