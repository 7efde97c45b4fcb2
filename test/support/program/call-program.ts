import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import { TestRunner } from 'vitest';

export const ROOT = join(import.meta.dirname, '../../..');
const BUILT = join(ROOT, 'dist/start.cjs');

/** An executable to test in place of the program that the build makes, see deploy/release. */
const EXECUTABLE = process.env['SKINSMITH_PROGRAM'];

/** The words that start the program, before those of its command line. */
export const PROGRAM: readonly [file: string, ...words: string[]] =
  EXECUTABLE === undefined ? [process.execPath, join(ROOT, 'bin/skinsmith.js')] : [resolve(ROOT, EXECUTABLE)];

const require = createRequire(import.meta.url);

export interface Call {
  /** Folder in which the command runs. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Input on stdin. */
  readonly input?: string | Uint8Array;
  /** When to wait for it no longer; in any case when its test runs out of time, or after `LONGEST`. */
  readonly signal?: AbortSignal;
}

/** Milliseconds; shorter than the time of a test or hook, so that the failure names the command. */
const LONGEST = 110_000;

export interface Ran {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line of the built program inside this process: a start of its own takes ten times as long. One at a
 * time, because the folder, the environment and the standard streams are those of the process. An executable is started.
 * @throws Error when it is waited for no longer; the process has its own folder and environment then, too
 */
export async function callProgram(args: readonly string[], call: Call): Promise<Ran> {
  if (EXECUTABLE !== undefined) return await runElsewhere(args, call);
  const turn = before.then(async () => await runHere(args, call));
  before = turn.catch(() => {}); // the caller hears of it
  return await turn;
}

async function runElsewhere(args: readonly string[], call: Call): Promise<Ran> {
  const { cwd, env, input = '', signal } = call;
  const [file, ...words] = PROGRAM;
  const { exitCode, stdout, stderr, isTerminated } = await execa(file, [...words, ...args], {
    ...{ cwd, env, input, extendEnv: false, reject: false, stripFinalNewline: false, timeout: LONGEST },
    ...(signal && { cancelSignal: signal }),
  });
  if (!isTerminated) return { exitCode, stdout, stderr };
  throw new Error(`skinsmith ${args.join(' ')} does not end. It said: ${stdout}${stderr}`);
}

async function runHere(args: readonly string[], { cwd, env, input, signal }: Call): Promise<Ran> {
  const out = new Captured();
  const err = new Captured();
  const putBack = [
    replaceStream('stdout', out),
    replaceStream('stderr', err),
    replaceStream('stdin', Readable.from(input === undefined ? [] : [Buffer.from(input)])),
    replaceEnvironment(withFolders(env)),
    replaceFolder(cwd),
  ];
  const limit = limitOf(signal);
  try {
    const { main } = require(BUILT) as { main(argv: readonly string[]): Promise<number> };
    const exitCode = await Promise.race([main(args), limit.reached]);
    if (exitCode !== undefined) return { exitCode, stdout: out.text, stderr: err.text };
    throw new Error(`skinsmith ${args.join(' ')} does not end. It said: ${out.text}${err.text}`);
  } finally {
    limit.lift();
    for (const undo of putBack) undo();
  }
}

/** `reached`: resolves when nothing waits for a call any more. */
function limitOf(signal: AbortSignal | undefined): { reached: Promise<undefined>; lift: () => void } {
  const { promise: reached, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  const timer = setTimeout(stop, LONGEST);
  // Hooks have no test.
  const signals = [signal, TestRunner.getCurrentTest()?.context.signal].filter((one) => one !== undefined);
  for (const one of signals) {
    if (one.aborted) stop();
    one.addEventListener('abort', stop);
  }
  const lift = () => {
    clearTimeout(timer);
    for (const one of signals) one.removeEventListener('abort', stop);
  };
  return { reached, lift };
}

/** A pipe whose reader takes everything at once. */
class Captured extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

function replaceStream(name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): () => void {
  const original = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, { ...original, get: () => stream });
  return () => void Object.defineProperty(process, name, original);
}

/**
 * The usual folders of that home, by the variables that name them: what reads HOME for the program reads it only once in a
 * process, so a second call would write into the home of the first.
 */
function withFolders(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { HOME: home } = env;
  if (!home) return env;
  return { XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local/share'), ...env };
}

/** In place: the home folder and the time zone are read from the process's own, not from an object. */
function replaceEnvironment(env: Readonly<Record<string, string>>): () => void {
  const original = { ...process.env };
  setEnvironment(env);
  return () => setEnvironment(original);
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

function replaceFolder(cwd: string): () => void {
  const original = process.cwd();
  process.chdir(cwd);
  return () => process.chdir(original);
}
