import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { GlobalFlags } from '../../../src/cli/config/settings.ts';
import { type CommandContext, type ExitStatus, openContext } from '../../../src/cli/context/context.ts';
import { reportOf } from '../../../src/cli/errors/error-report.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { ownFolder } from '../server/own-folder.ts';
import { Leftovers } from './leftovers.ts';
import { testIo } from './test-io.ts';

export interface Ran {
  /** The exit status of `run`; undefined when it threw. */
  readonly status: number | undefined;
  readonly out: string;
  readonly err: string;
  /** The message that the user sees for its error. */
  readonly told: ReturnType<typeof reportOf>;
}

interface DeskOptions {
  /** The service, and the key to use it with; none: the embedded one. */
  readonly url?: string;
  readonly key?: string | undefined;
  /** Whether stdout is a terminal. */
  readonly isTTY?: boolean;
  /** Input on stdin, which is then not a terminal. */
  readonly stdin?: string;
  /** A person who answers prompts on stderr by typing this. */
  readonly answers?: (asked: string) => string | undefined;
  readonly signal?: AbortSignal;
  readonly flags?: GlobalFlags;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one command as if typed, on a machine of its own, in this process; it must leave nothing open, however it ends. */
export async function runCommand(
  run: (context: CommandContext) => ExitStatus,
  { url, key, isTTY = false, stdin, answers, signal, flags = {}, env: more = {} }: DeskOptions,
): Promise<Ran> {
  const {
    io: terminal,
    out,
    err,
  } = testIo({
    ...{ outTTY: isTTY, errTTY: isTTY, columns: 120 },
    ...(stdin !== undefined && { stdin }),
  });
  const plain = { ...terminal, err: { ...terminal.err, isSized: false } }; // a spinner would draw on the real one
  const io = answers ? answering(plain, answers) : plain;
  const folder = await ownFolder();
  const env = {
    SKINSMITH_CONFIG_DIR: join(folder, 'config'),
    SKINSMITH_DATA_DIR: join(folder, 'data'),
    ...(url !== undefined && { SKINSMITH_BASE_URL: url }),
    ...(key !== undefined && { SKINSMITH_API_KEY: key }),
    SKINSMITH_GAME_ADDRESSES: JSON.stringify(NO_GAME),
    ...more,
  };
  const context = openContext({
    io,
    env,
    signal: signal ?? new AbortController().signal,
    flags: { quiet: !isTTY, ...flags },
  });
  const leftovers = new Leftovers(context);
  let closed: Promise<void> | undefined;
  const close = async () => {
    closed ??= context.close();
    await closed;
  };
  onTestFinished(async () => {
    await close(); // of a run that did not end
    leftovers.verifyClosed(); // only now: what runs beside it may have files open
  });
  const ran = await outcomeOf(run, context);
  await close();
  leftovers.verifyEnd(out());
  return { ...ran, out: out(), err: err() };
}

async function outcomeOf(
  run: (context: CommandContext) => ExitStatus,
  context: CommandContext,
): Promise<Pick<Ran, 'status' | 'told'>> {
  try {
    return { status: (await run(context)) ?? 0, told: undefined };
  } catch (error) {
    return { status: undefined, told: reportOf(error, context) };
  }
}

/** The same terminal with someone at its keyboard. */
function answering(io: Io, answers: (asked: string) => string | undefined): Io {
  const stdin = new PassThrough();
  const write = (text: string | Uint8Array) => {
    io.err.write(text);
    const answer = answers(String(text));
    if (answer !== undefined) setImmediate(() => stdin.write(answer));
  };
  return { ...io, stdin, canPrompt: true, err: { ...io.err, write } };
}
