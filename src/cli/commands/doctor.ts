import type { Command } from 'commander';
import type { Deps } from '../deps.ts';
import { CHECK_NAMES, type CheckName, type Finding } from '../doctor/check.ts';
import { exitStatus } from '../exit.ts';
import { jsonDocument } from '../output/json.ts';
import { type Colors, clean, colorsFor, tabRows } from '../output/text.ts';
import type { Runner } from '../runner.ts';

/** JSON output of one check. */
export interface CheckupView {
  readonly check: CheckName;
  readonly result: Finding['result'];
  readonly detail: string;
  readonly hint?: string;
}

export interface DoctorLimits {
  /** Milliseconds until the service must have answered, and until all must be done. */
  readonly connect: number;
  readonly all: number;
}

const LIMITS: DoctorLimits = { connect: 6_000, all: 9_000 };

export function register(command: Command, runner: Runner, run: typeof runDoctor = runDoctor): void {
  command
    .description(
      'Says what is wrong with this set-up and what to do about it: settings and folders of this machine, the way ' +
        'to the service, the key, limits, textures; for the operator of a skinsmith service also its store and who ' +
        'makes its skins. It takes 10 seconds at the most. Exit status 1: there is a problem.',
    )
    .action(async () => await runner(async (deps) => await run(deps)));
}

export async function runDoctor(deps: Deps, limits = LIMITS): Promise<number> {
  const views: CheckupView[] = [];
  const { io, flags } = deps;
  const colors = await colorsFor(io.out);
  for await (const view of checkups(deps, limits)) {
    views.push(view);
    if (flags.json) continue;
    io.out.write(
      io.out.isTTY ? text(view, colors) : tabRows([[view.check, view.result, view.detail, view.hint]]),
    );
  }
  if (flags.json) io.out.write(jsonDocument(views));
  const count = (result: Finding['result']) => views.filter((view) => view.result === result).length;
  deps.talk.say(`Problems: ${count('problem')}, warnings: ${count('warning')}.`);
  return exitStatus(count('problem') > 0 ? 'failed' : 'done');
}

async function* checkups(deps: Deps, limits: DoctorLimits): AsyncGenerator<CheckupView, void, void> {
  const { CHECKS } = await import('../doctor/checks.ts');
  const { examine } = await import('../doctor/examine.ts');
  const { Patient } = await import('../doctor/patient.ts');
  const { signal } = deps;
  const late = AbortSignal.timeout(limits.all);
  const patient = new Patient(deps, { stop: AbortSignal.any([signal, late]), connectLimit: limits.connect });
  for await (const [check, { result, detail, hint }] of examine(CHECKS, { patient, late, signal })) {
    yield { check, result, detail, ...(hint !== undefined && { hint }) };
  }
}

const WIDTH = Math.max(...CHECK_NAMES.map((name) => name.length));

function text({ check, result, detail, hint }: CheckupView, colors: Colors): string {
  const marks = {
    ok: colors.good('✔'),
    warning: colors.warn('!'),
    problem: colors.bad('✖'),
    skipped: colors.faint('-'),
  } satisfies Record<Finding['result'], string>;
  const line = `${marks[result]} ${colors.strong(check.padEnd(WIDTH))}  ${clean(detail)}\n`;
  return hint === undefined
    ? line
    : `${line}${' '.repeat(WIDTH + 4)}${colors.faint('hint:')} ${clean(hint)}\n`;
}
