import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { checkSkin, type SkinReport } from '../../skin/check.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { jsonDocument } from '../output/json.ts';
import { type Colors, clean, colorsFor, tabRows } from '../output/text.ts';
import type { Runner } from '../runner.ts';
import { emptyFolder, listPngFiles, readBounded, readStdin } from '../sources.ts';
import { tellable } from '../told-error.ts';

export interface CheckOptions {
  readonly paths: readonly string[];
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
    .action(async (paths: string[]) => await runner(async (deps) => await run({ paths }, deps)));
}

export async function runCheck({ paths }: CheckOptions, deps: Deps): Promise<number> {
  const { io, flags } = deps;
  const files = (await Promise.all(paths.map(expand))).flat();
  const isList = files.length !== 1 || paths.length > 1;
  const views: CheckView[] = [];
  const colors = await colorsFor(io.out);
  for (const file of files) {
    const view = await checkOne(file, deps);
    views.push(view);
    if (!flags.json) io.out.write(io.out.isTTY ? checkText(view, colors) : checkRow(view));
  }
  if (flags.json) io.out.write(jsonDocument(isList ? views : views[0]));
  const unusable = views.filter((view) => !view.valid).length;
  if (isList && unusable > 0) deps.talk.say(`${unusable} of ${views.length} cannot be used.`);
  return exitStatus(unusable > 0 ? 'failed' : 'done');
}

/** The PNG files of a folder; anything else as it is, to be judged when it is read. */
async function expand(path: string): Promise<string[]> {
  const files = (await isFolder(path)) ? await listPngFiles(path) : [];
  return files.length > 0 ? files : [path];
}

async function isFolder(path: string): Promise<boolean> {
  const found = path === '-' ? undefined : await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

async function checkOne(path: string, { io }: Deps): Promise<CheckView> {
  try {
    if (await isFolder(path)) throw emptyFolder(path);
    return checkView(path, checkSkin(path === '-' ? await readStdin(io) : await readBounded(path)));
  } catch (error) {
    const told = tellable(error);
    if (!told) throw error;
    return { source: path, valid: false, warnings: [], error: { code: told.code, message: told.message } };
  }
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
