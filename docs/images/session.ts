import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openContext } from '../../src/cli/context/context.ts';
import { buildProgram } from '../../src/cli/program.ts';
import type { OutputStream } from '../../src/cli/terminal/io.ts';

/** Columns of the terminal. */
export const COLUMNS = 84;

const COMMANDS = [
  ['check', 'examples/smith.png', 'examples/ranger-slim.png', 'examples/robot.png'],
  ['preview', 'examples/knight-overlay.png'],
];

/** The environment tells what a terminal can draw; this one can draw blocks. */
const BLOCKS = ['--picture', 'blocks'];

/** What a terminal with colours shows when these commands are typed in the project's folder. Uses no service. */
export async function runSession(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'skinsmith-images-'));
  try {
    const parts = [];
    for (const words of COMMANDS) parts.push(await runCommand(words, home));
    return parts.join('\n');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function runCommand(words: readonly string[], home: string): Promise<string> {
  let shown = `\u001b[1m$ skinsmith ${words.join(' ')}\u001b[22m\n`;
  const write = (text: string) => {
    shown += text;
  };
  const stream: OutputStream = {
    write,
    writePart: async (text: string) => write(text),
    isTTY: true,
    hasColor: true,
    colorDepth: 24,
    columns: COLUMNS,
    isSized: true,
  };
  const context = openContext({
    io: { out: stream, err: stream, stdin: Readable.from([]), canPrompt: false },
    env: { SKINSMITH_CONFIG_DIR: join(home, 'config'), SKINSMITH_DATA_DIR: join(home, 'data') },
    signal: new AbortController().signal,
    flags: {},
  });
  const program = await buildProgram({ runner: () => async (work) => void (await work(context)), words });
  const typed = words[0] === 'preview' ? [...words, ...BLOCKS] : [...words];
  await program.parseAsync(typed, { from: 'user' });
  await context.close();
  return shown;
}
