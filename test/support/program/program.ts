import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, type Options, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { ownFolder } from '../server/own-folder.ts';
import { giveSigningKey, giveStore } from '../server/running-server.ts';
import { TestCaller } from '../server/test-caller.ts';
import { type Call, callProgram, PROGRAM, type Ran, ROOT } from './call-program.ts';

export { PROGRAM, type Ran, ROOT } from './call-program.ts';

export interface Serving {
  readonly url: string;
  readonly key: string;
  readonly process: ResultPromise;
  /** Calls with the given key, or the owner's. */
  caller(key?: string): TestCaller;
  /** Ends it. Returns how it exited. */
  end(signal: NodeJS.Signals): Promise<Ran>;
}

/** The built program on a machine of its own: home, settings and data are in one temporary folder. */
export class Machine {
  readonly folder: string;
  readonly dataDir: string;
  readonly configDir: string;
  readonly env: Record<string, string>;
  /** Folder in which commands run. */
  readonly cwd: string;

  constructor(folder: string) {
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    this.configDir = join(folder, 'config');
    this.cwd = ROOT;
    this.env = {
      HOME: folder,
      PATH: process.env['PATH'] ?? '',
      COLUMNS: '100',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      SKINSMITH_DATA_DIR: this.dataDir,
      SKINSMITH_CONFIG_DIR: this.configDir,
      SKINSMITH_GAME_ADDRESSES: JSON.stringify(NO_GAME),
    };
  }

  /** Starts a command as a process of its own; it is killed when the test ends. `program`: what else starts it. */
  start(args: readonly string[], options: Options = {}, [file, ...words] = PROGRAM): ResultPromise {
    const env = { ...this.env, ...options.env };
    const base = {
      cwd: this.cwd,
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      forceKillAfterDelay: false,
    } as const;
    const child = execa(file, [...words, ...args], { ...base, ...options, env });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await child;
    });
    return child;
  }

  /** Runs a command to its end inside this process, see `callProgram`. */
  async run(args: readonly string[], { env, ...call }: Partial<Call> = {}): Promise<Ran> {
    return await callProgram(args, { cwd: this.cwd, ...call, env: { ...this.env, ...env } });
  }

  /** Runs `serve` on a free port and waits until it listens. `knownKey`: the owner's, of an earlier start. */
  async serve(args: readonly string[] = [], knownKey = '', program = PROGRAM): Promise<Serving> {
    const all = ['serve', '--port', '0', '--json', '--log-level', 'error', ...args];
    const child = this.start(all, {}, program);
    const first = await firstLine(child);
    const { url, key = knownKey } = JSON.parse(first) as { url: string; key?: string };
    return {
      url,
      key,
      process: child,
      caller: (other = key) => new TestCaller(url, { key: other, dataDir: this.folder }),
      end: async (signal) => {
        child.kill(signal);
        const { exitCode, stdout, stderr } = await child;
        return { exitCode, stdout: String(stdout), stderr: String(stderr) };
      },
    };
  }
}

async function firstLine(child: ResultPromise): Promise<string> {
  const said = await saying(child, 'stdout', /^.*\n/);
  return said.slice(0, said.indexOf('\n'));
}

/** What a command has written so far, once something in it matches. @throws Error when it ends before */
export async function saying(
  child: ResultPromise,
  stream: 'stdout' | 'stderr',
  what: RegExp,
): Promise<string> {
  let said = '';
  return await new Promise((resolve, reject) => {
    child[stream]?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (what.test(said)) resolve(said);
    });
    void child.then(({ stderr }) =>
      reject(new Error(`It ended without saying ${what}: ${said}${String(stderr)}`)),
    );
  });
}

/** A fresh machine with a signing key and an empty store: making them takes longer than most commands. */
export async function freshMachine(): Promise<Machine> {
  const machine = await emptyMachine();
  await giveStore(machine.dataDir);
  return machine;
}

/** The same without a store. */
export async function emptyMachine(): Promise<Machine> {
  const machine = new Machine(await ownFolder());
  await mkdir(machine.dataDir, { recursive: true });
  await giveSigningKey(machine.dataDir);
  return machine;
}
