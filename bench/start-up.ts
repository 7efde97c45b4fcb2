/** P1 and P2: how long a command takes from start to end, compared with Node's own start. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Machine, PROGRAM, ROOT } from './machine.ts';
import { inTurns, type Row, ratio } from './table.ts';

const ROUNDS = 25;
const WARM_UP = 3;

export async function startUpRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const once = (args: readonly string[]) => () => timeOnce(args, machine.env);
    const turns = {
      node: once(['-e', '0']),
      version: once([PROGRAM, '--version']),
      help: once([PROGRAM, '--help']),
      generate: once([PROGRAM, 'generate', join(ROOT, 'examples/smith.png')]),
    };
    const { node: baseline, version, help, generate } = await inTurns(ROUNDS, turns, WARM_UP);
    const row = (id: string, command: string, measured: number, limit: number) =>
      ratio(id, [`skinsmith ${command}`, 'node -e 0'], { measured, baseline, limit });
    return [
      row('P1', '--version', version, 1.8),
      row('P1', '--help', help, 1.8),
      row('P2', 'generate one.png', generate, 8),
    ];
  });
}

function timeOnce(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} exited ${status}: ${stderr}`);
  return took;
}
