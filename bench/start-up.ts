/** P1 and P2: how long a command takes from start to end, compared with Node's own start. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Machine, PROGRAM, ROOT } from './machine.ts';
import { median, type Row } from './table.ts';

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
  return await Machine.with(async (machine) => {
    await machine.reset();
    const times = measureInTurns(machine.env);
    const row = (id: string, name: Name, limit: number): Row => ({
      id,
      work: `skinsmith ${name === 'generate' ? 'generate one.png' : `--${name}`}`,
      against: 'node -e 0',
      unit: 'ms',
      measured: median(times[name]),
      baseline: median(times.node),
      comparison: 'ratio',
      limit,
    });
    return [row('P1', 'version', 1.8), row('P1', 'help', 1.8), row('P2', 'generate', 8)];
  });
}

/** Each round runs every command once, so that a slow moment of the machine affects all of them. */
function measureInTurns(env: NodeJS.ProcessEnv): Record<Name, number[]> {
  const times: Record<Name, number[]> = { node: [], version: [], help: [], generate: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const name of Object.keys(COMMANDS) as Name[]) {
      const took = timeOnce(COMMANDS[name], env);
      if (round >= 0) times[name].push(took);
    }
  }
  return times;
}

function timeOnce(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} exited ${status}: ${stderr}`);
  return took;
}
