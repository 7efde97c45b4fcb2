import type { CommandContext, CommandModule } from '../context/context.ts';
import { CHECK_NAMES, type CheckFinding, type CheckName, examine } from '../doctor/check.ts';
import { exitStatus } from '../errors/exit.ts';
import { columnRows, type Fields, fieldColumns } from '../output/described.ts';
import { type Colors, colorsFor, widthOf } from '../terminal/io.ts';
import { clean, hanging, jsonDocument } from '../text/text.ts';

interface CheckupView extends CheckFinding {
  readonly check: CheckName;
}

interface DoctorLimits {
  /** Time limits in milliseconds, for the service's first answer and for all checks. */
  readonly connect: number;
  readonly all: number;
}

const LIMITS: DoctorLimits = { connect: 6_000, all: 9_000 };

const COLUMNS = fieldColumns<CheckupView>('check', 'result', 'detail', 'hint');

const FIELDS: Fields<CheckupView> = {
  check: `what was checked: ${CHECK_NAMES.join(', ')}`,
  result: 'ok, warning, problem or skipped',
  detail: 'what was found',
  hint: 'what to do',
};

export const doctor = {
  description:
    'Find problems with your setup and how to fix them.\n' +
    'Checks the settings and folders of this machine, the connection to the service, your API key, ' +
    'limits and textures. Operators of a skinsmith service also see the state of its store and ' +
    'generator. Takes at most 10 seconds. The exit status is 1 if there is a problem.',
  examples: {
    'Find out why something does not work': 'skinsmith doctor',
    'Check a service before you use it': 'skinsmith doctor --base-url https://skins.example.org',
  },
  output: [{ columns: COLUMNS, json: { shape: 'list', fields: FIELDS } }],
  run: runDoctor,
} satisfies CommandModule;

export async function runDoctor(context: CommandContext, limits = LIMITS): Promise<number> {
  const views: CheckupView[] = [];
  const { io, flags } = context;
  const colors = await colorsFor(io.out);
  const width = widthOf(io.out);
  for await (const view of checkups(context, limits)) {
    views.push(view);
    if (flags.json) continue;
    io.out.write(io.out.isTTY ? text(view, colors, width) : columnRows(COLUMNS, [view]));
  }
  if (flags.json) io.out.write(jsonDocument(views));
  const count = (result: CheckFinding['result']) => views.filter((view) => view.result === result).length;
  context.messages.say(`Problems: ${count('problem')}, warnings: ${count('warning')}.`);
  return exitStatus(count('problem') > 0 ? 'failed' : 'done');
}

async function* checkups(
  context: CommandContext,
  limits: DoctorLimits,
): AsyncGenerator<CheckupView, void, void> {
  const { CHECKS } = await import('../doctor/checks.ts');
  const { Setup } = await import('../doctor/setup.ts');
  const { signal } = context;
  const late = AbortSignal.timeout(limits.all);
  const setup = new Setup(context, { stop: AbortSignal.any([signal, late]), connectLimit: limits.connect });
  for await (const [check, { result, detail, hint }] of examine(CHECKS, { setup, late, signal }))
    yield { check, result, detail, hint };
}

const WIDTH = Math.max(...CHECK_NAMES.map((name) => name.length));

function text({ check, result, detail, hint }: CheckupView, colors: Colors, width: number): string {
  const marks = {
    ok: colors.good('✔'),
    warning: colors.warn('!'),
    problem: colors.bad('✖'),
    skipped: colors.faint('-'),
  } satisfies Record<CheckFinding['result'], string>;
  const indent = WIDTH + 4;
  const name = colors.strong(check.padEnd(WIDTH));
  const line = `${marks[result]} ${name}  ${hanging(clean(detail), indent, width)}\n`;
  if (hint === undefined) return line;
  const label = 'hint: ';
  return `${line}${' '.repeat(indent)}${colors.faint(label)}${hanging(clean(hint), indent + label.length, width)}\n`;
}
