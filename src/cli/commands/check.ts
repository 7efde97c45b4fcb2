import type { Command } from 'commander';
import { readContent } from '../../batch/plan/picture-files.ts';
import { isSingle, openSources } from '../../batch/sources/sources.ts';
import type { BatchSource } from '../../batch/types.ts';
import { checkSkin, type SkinReport } from '../../skin/check.ts';
import { rootsOf } from '../batch/sources.ts';
import { collect } from '../batch/typed-options.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { jsonDocument } from '../output/json.ts';
import { JsonList } from '../output/json-list.ts';
import { type Colors, clean, colorsFor, tabRows } from '../output/text.ts';
import type { Runner } from '../runner.ts';

export interface CheckOptions {
  readonly paths: readonly string[];
  readonly recursive?: boolean;
  readonly ignore?: readonly string[];
}

/** JSON output of one file. Absent values are left out. */
export interface CheckView {
  readonly source: string;
  readonly valid: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly variant?: string;
  readonly confidence?: string;
  readonly pixels?: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

export function register(command: Command, runner: Runner, run = runCheck): void {
  command
    .description(
      'Looks at PNG files without sending them anywhere: what each is, its variant, what is wrong.',
    )
    .argument('<path...>', 'PNG files, folders of them, - for stdin')
    .option('-r, --recursive', 'take the folders in folders, too')
    .option('--ignore <pattern>', 'leave out files of folders, as in a .gitignore (repeatable)', collect)
    .action(
      async (paths: string[], typed: Omit<CheckOptions, 'paths'>) =>
        await runner(async (deps) => await run({ ...typed, paths }, deps)),
    );
}

export async function runCheck(
  { paths, recursive = false, ignore = [] }: CheckOptions,
  deps: Deps,
): Promise<number> {
  const { io, flags } = deps;
  const spec = { args: paths, from: [], recursive, ignore, as: 'file' } as const;
  const isList = !(await isSingle(spec, rootsOf(io)));
  const list = flags.json && isList ? new JsonList(io.out) : undefined;
  const colors = await colorsFor(io.out);
  const tally = { all: 0, unusable: 0 };
  for await (const source of openSources(spec, rootsOf(io))) {
    const view = checkOne(source);
    if (list) list.add(view, tally.all);
    else if (flags.json) io.out.write(jsonDocument(view));
    else io.out.write(io.out.isTTY ? checkText(view, colors) : checkRow(view));
    tally.all++;
    if (!view.valid) tally.unusable++;
  }
  list?.end();
  if (isList && tally.unusable > 0) deps.talk.say(`${tally.unusable} of ${tally.all} cannot be used.`);
  return exitStatus(tally.unusable > 0 ? 'failed' : 'done');
}

function checkOne({ label, content }: BatchSource): CheckView {
  const read = readContent(content);
  if ('bytes' in read) return checkView(label, checkSkin(read.bytes));
  const { code, message } = read.problem;
  return { source: label, valid: false, warnings: [], error: { code, message } };
}

function checkView(source: string, report: SkinReport): CheckView {
  const { valid, width, height, variant, confidence, pixels, warnings, error } = report;
  return {
    source,
    valid,
    ...(width !== undefined && { width, height }),
    ...(variant !== undefined && { variant, confidence }),
    ...(pixels !== undefined && { pixels }),
    warnings,
    ...(error && { error }),
  };
}

/** `source, valid|invalid, width, height, variant, confidence, what is wrong or to mind`. */
function checkRow(view: CheckView): string {
  const remarks = [view.error, ...view.warnings].flatMap((note) => (note ? [note.message] : [])).join(' ');
  const size = [view.width, view.height].map((length) => (length === undefined ? '' : String(length)));
  return tabRows([
    [view.source, view.valid ? 'valid' : 'invalid', ...size, view.variant, view.confidence, remarks],
  ]);
}

function checkText(view: CheckView, colors: Colors): string {
  const mark = view.valid ? colors.good('✔') : colors.bad('✖');
  const size = view.width === undefined ? [] : [`${view.width}×${view.height}`];
  const variant = view.variant === undefined ? [] : [`${view.variant} (${view.confidence})`];
  const lines = [
    `${mark} ${colors.strong(clean(view.source))}  ${[...size, ...variant].join(', ')}`,
    ...(view.error ? [`  ${colors.bad('error:')} ${clean(view.error.message)}`] : []),
    ...(view.error?.hint ? [`  ${colors.faint('hint:')} ${clean(view.error.hint)}`] : []),
    ...view.warnings.map((warning) => `  ${colors.warn('warning:')} ${clean(warning.message)}`),
  ];
  return `${lines.join('\n')}\n`;
}
