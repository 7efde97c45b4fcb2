/** P7: whether a plan over a hundred times as many sources uses more memory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Machine, PROGRAM } from './machine.ts';
import { untilSettled, writePatterns } from './skins.ts';
import { difference, type Row } from './table.ts';

const FEW = 1_000;
const MANY = 100_000;
/** The exit status of a dry run with work to do. */
const TO_DO = 3;

/**
 * Prints the peak memory of a process when it ends, in bytes. On Linux, `maxRSS` is at least that of the parent
 * process, so this reads it from the system.
 */
export const PRINT_PEAK = `data:text/javascript,import { existsSync, readFileSync, writeSync } from 'node:fs';
  const status = existsSync('/proc/self/status') ? () => readFileSync('/proc/self/status', 'utf8') : () => '';
  const peak = () => Number(/VmHWM:\\s+(\\d+) kB/.exec(status())?.[1] ?? process.resourceUsage().maxRSS);
  process.once('exit', () => writeSync(2, String(peak() * 1024)));`;

export async function memoryRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const few = draw(machine.folder, 'few', FEW);
    const many = draw(machine.folder, 'many', MANY);
    await untilSettled();
    const isNew = await rowOf(machine, 'a folder', { few: [few.folder], many: [many.folder] });
    const isSeen = await rowOf(machine, 'a list', { few: ['--from', few.list], many: ['--from', many.list] });
    return [isNew, { ...isSeen, work: `${isSeen.work}, pictures seen before` }];
  });
}

/** A folder of sources, and a list of the same sources. */
function draw(place: string, name: string, count: number): { folder: string; list: string } {
  const [folder, list] = [join(place, name), join(place, `${name}.txt`)];
  const names = writePatterns(folder, count);
  writeFileSync(list, names.map((file) => `${join(folder, file)}\n`).join(''));
  return { folder, list };
}

/** Measures each once, because the larger takes a minute and peaks vary little. */
async function rowOf(
  machine: Machine,
  of: string,
  { few, many }: Record<'few' | 'many', readonly string[]>,
): Promise<Row> {
  const baseline = await peakOf(machine, few);
  const measured = await peakOf(machine, many);
  const work = `peak memory of generate --dry-run, ${of} of ${MANY}`;
  return difference('P7', [work, `${of} of ${FEW}`], { measured, baseline, unit: 'MB', limit: 150 });
}

/** MB. */
async function peakOf(machine: Machine, sources: readonly string[]): Promise<number> {
  const args = ['--import', PRINT_PEAK, PROGRAM, 'generate', ...sources, '--dry-run', '--quiet'];
  const { exitCode, stderr } = await machine.start(args, { stdout: 'ignore', reject: false });
  const peak = Number(stderr) / 1e6;
  if (exitCode === TO_DO && peak > 0) return peak;
  throw new Error(`The plan exited with ${exitCode}: ${String(stderr)}`);
}
