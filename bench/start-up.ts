/** P1 and P2: how long a command takes from its start to its end, against Node's own start. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Row } from './table.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'bin/skinsmith.js');
const ROUNDS = 25;
const WARM_UP = 3;

const COMMANDS = {
  node: ['-e', '0'],
  version: [PROGRAM, '--version'],
  help: [PROGRAM, '--help'],
  generate: [PROGRAM, 'generate', join(ROOT, 'examples/smith.png')],
} as const;
type Name = keyof typeof COMMANDS;

export async function startUpRows(): Promise<Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'skinsmith-bench-'));
  try {
    const times = measureInTurns(home);
    const row = (id: string, name: Name, limit: number): Row => {
      const [measured, baseline] = [median(times[name]), median(times.node)];
      const work = `skinsmith ${name === 'generate' ? 'generate one.png' : `--${name}`}`;
      return { id, work, against: 'node -e 0', measured, baseline, ratio: measured / baseline, limit };
    };
    return [row('P1', 'version', 1.5), row('P1', 'help', 1.5), row('P2', 'generate', 6)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Each round runs every command once, so that a slow moment of the machine meets all of them. */
function measureInTurns(home: string): Record<Name, number[]> {
  const times: Record<Name, number[]> = { node: [], version: [], help: [], generate: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const name of Object.keys(COMMANDS) as Name[]) {
      const took = timeOnce(COMMANDS[name], home);
      if (round >= 0) times[name].push(took);
    }
  }
  return times;
}

function timeOnce(args: readonly string[], home: string): number {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    SKINSMITH_CONFIG_DIR: home,
    SKINSMITH_DATA_DIR: join(home, 'data'),
  };
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} exited ${status}: ${stderr}`);
  return took;
}
