import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Deps, type GlobalFlags, makeDeps } from '../../src/cli/deps.ts';
import { tellable } from '../../src/cli/told-error.ts';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { ownFolder } from '../server/own-folder.ts';
import { testIo } from './test-io.ts';

export interface Ran {
  /** What `run` answered; undefined when it threw. */
  readonly status: number | undefined;
  readonly out: string;
  readonly err: string;
  /** What the user is told of what it threw. */
  readonly told: ReturnType<typeof tellable>;
}

interface DeskOptions {
  /** The service, and the key to use it with; none: the embedded one. */
  readonly url?: string;
  readonly key?: string | undefined;
  /** Whether stdout is a terminal. */
  readonly isTTY?: boolean;
  readonly flags?: GlobalFlags;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one command as if it was typed, on a machine of its own, in this process. */
export async function runCommand(
  run: (deps: Deps) => Promise<number>,
  { url, key, isTTY = false, flags = {}, env: more = {} }: DeskOptions,
): Promise<Ran> {
  const { io: terminal, out, err } = testIo({ outTTY: isTTY, errTTY: isTTY, columns: 120 });
  const io = { ...terminal, err: { ...terminal.err, isSized: false } }; // a spinner would draw on the real one
  const folder = await ownFolder();
  const env = {
    SKINSMITH_CONFIG_DIR: join(folder, 'config'),
    SKINSMITH_DATA_DIR: join(folder, 'data'),
    ...(url !== undefined && { SKINSMITH_BASE_URL: url }),
    ...(key !== undefined && { SKINSMITH_API_KEY: key }),
    SKINSMITH_GAME_ADDRESSES: JSON.stringify(NO_GAME),
    ...more,
  };
  const deps = makeDeps({
    io,
    env,
    signal: new AbortController().signal,
    flags: { quiet: !isTTY, ...flags },
  });
  onTestFinished(async () => await deps.close());
  try {
    return { status: await run(deps), out: out(), err: err(), told: undefined };
  } catch (error) {
    return { status: undefined, out: out(), err: err(), told: tellable(error) };
  }
}
