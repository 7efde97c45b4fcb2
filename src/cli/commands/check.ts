import type { Command } from 'commander';
import type { BatchSource, SuppliedSkin } from '../../batch/model.ts';
import { readContent } from '../../batch/pictures.ts';
import { isSignatureShaped } from '../../batch/plan/signer-rule.ts';
import { isSingle, openSources } from '../../batch/sources/lists.ts';
import { readTextures } from '../../dispatch/proof.ts';
import { checkSkin, type SkinReport } from '../../skin/check.ts';
import { rootsOf } from '../batch/sources.ts';
import type { CommandContext, Runner } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/help-page.ts';
import { collect } from '../options/batch-options.ts';
import { type Columns, type CommandOutput, columnRows, type Fields, JsonList } from '../output/described.ts';
import { GithubReport } from '../output/github.ts';
import { WARNINGS_FIELD } from '../output/results.ts';
import {
  addPictureOption,
  besidePicture,
  type TypedPictureOption,
  terminalPictures,
} from '../output/terminal-picture.ts';
import { frontOf } from '../preview/result-pictures.ts';
import { type Colors, colorsFor, widthOf } from '../terminal/io.ts';
import { clean, count, hanging, jsonDocument } from '../text/text.ts';

export interface CheckOptions extends TypedPictureOption {
  readonly paths: readonly string[];
  readonly recursive?: boolean;
  readonly ignore?: readonly string[];
}

/** JSON output for one file. Absent values are omitted. */
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

export const examples: Examples = [
  ['Check all PNG files in a folder and its subfolders', 'skinsmith check skins/ --recursive'],
  ['Check a picture from another program', 'cat skin.png | skinsmith check -'],
];

const COLUMNS = {
  source: ({ source }) => source,
  valid: ({ valid }) => (valid ? 'valid' : 'invalid'),
  width: ({ width }) => width?.toString(),
  height: ({ height }) => height?.toString(),
  variant: ({ variant }) => variant,
  confidence: ({ confidence }) => confidence,
  message: ({ error, warnings }) =>
    [error, ...warnings].flatMap((note) => (note ? [note.message] : [])).join(' '),
} satisfies Columns<CheckView>;

const FIELDS: Fields<CheckView> = {
  source: 'the file as you typed it',
  valid: 'whether skins can be made from the file; as a column, valid or invalid',
  width: 'width of the picture in pixels',
  height: 'height of the picture in pixels',
  variant: 'classic or slim',
  confidence: 'how certain the variant is',
  pixels: 'hash of the pixels; the same for every file with the same picture',
  warnings: WARNINGS_FIELD,
  error: {
    about: 'why the file is unusable',
    fields: { code: 'error code', message: 'what is wrong', hint: 'what to do' },
  },
};

export const output: readonly CommandOutput[] = [
  {
    columns: COLUMNS,
    columnMeanings: { message: 'what is wrong with the file, and warnings' },
    json: { shape: 'object or list', fields: FIELDS },
  },
];

export function register(command: Command, runner: Runner, run = runCheck): void {
  addPictureOption(command)
    .description(
      'Check PNG files without sending them anywhere.\n' +
        'Prints what each file is, its arm variant, and what is wrong with it. The exit status is 1 if ' +
        'any file is unusable.',
    )
    .argument('<path...>', 'PNG files, folders, or - for stdin')
    .option('-r, --recursive', 'recurse into subfolders')
    .option('--ignore <pattern>', 'skip files that match this .gitignore pattern (repeatable)', collect)
    .action(
      async (paths: string[], typed: Omit<CheckOptions, 'paths'>) =>
        await runner(async (context) => await run({ ...typed, paths }, context)),
    );
}

export async function runCheck(
  { paths, recursive = false, ignore = [], picture }: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const { io, flags } = context;
  const spec = { args: paths, from: [], recursive, ignore, as: 'file' } as const;
  const isList = !(await isSingle(spec, rootsOf(context)));
  const list = flags.json && isList ? new JsonList(io.out) : undefined;
  const colors = await colorsFor(io.out);
  const width = widthOf(io.out);
  const terminal = isList || !io.out.isTTY ? undefined : terminalPictures(picture, io.out, context.env);
  const tally = { all: 0, unusable: 0 };
  const github = new GithubReport(context);
  for await (const source of openSources(spec, rootsOf(context))) {
    const { view, bytes } = checkOne(source);
    if (view.error)
      github.add({ level: 'error', source: view.source, content: source.content, problem: view.error });
    if (list) list.add(view, tally.all);
    else if (flags.json) io.out.write(jsonDocument(view));
    else if (!io.out.isTTY) io.out.write(columnRows(COLUMNS, [view]));
    else if (terminal && bytes && view.valid) {
      io.out.write(besidePicture(frontOf(bytes, view.variant), checkLines(view, colors, width), terminal));
    } else
      io.out.write(
        checkLines(view, colors, width)
          .map((line) => `${line}\n`)
          .join(''),
      );
    tally.all++;
    if (!view.valid) tally.unusable++;
  }
  list?.end();
  await github.finish(`${count(tally.all)} checked, ${count(tally.unusable)} unusable.`);
  if (isList && tally.unusable > 0) context.messages.say(`${tally.unusable} of ${tally.all} cannot be used.`);
  return exitStatus(tally.unusable > 0 ? 'failed' : 'done');
}

function checkOne({ label, content }: BatchSource): { view: CheckView; bytes?: Uint8Array } {
  if (content.kind === 'data') return { view: dataView(label, content.given) };
  const read = readContent(content, label);
  if ('bytes' in read) {
    const skin = checkSkin(read.bytes);
    return { view: checkView(label, skin), bytes: skin.resaved ?? read.bytes };
  }
  return { view: { source: label, valid: false, warnings: [], error: read.problem } };
}

/** Skin data has no image to check here. `verify` determines who signed it. */
function dataView(source: string, { value, signature }: SuppliedSkin): CheckView {
  const { variant } = readTextures(value).skin;
  const warnings = signature === undefined ? [UNSIGNED] : isSignatureShaped(signature) ? [] : [CUT_SIGNATURE];
  return { source, valid: true, variant, confidence: 'certain', warnings };
}

const UNSIGNED = {
  code: 'unsigned',
  message: 'The value has no signature: a skin is made from its texture.',
};
const CUT_SIGNATURE = { code: 'invalid_signature', message: 'The signature is not a valid RSA signature.' };

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

function checkLines(view: CheckView, colors: Colors, width: number): string[] {
  const mark = view.valid ? colors.good('✔') : colors.bad('✖');
  const size = view.width === undefined ? [] : [`${view.width}×${view.height}`];
  const variant = view.variant === undefined ? [] : [`${view.variant} (${view.confidence})`];
  return [
    `${mark} ${colors.strong(clean(view.source))}  ${[...size, ...variant].join(', ')}`,
    ...(view.error ? [labelled('error:', view.error.message, colors.bad, width)] : []),
    ...(view.error?.hint ? [labelled('hint:', view.error.hint, colors.faint, width)] : []),
    ...view.warnings.map((warning) => labelled('warning:', warning.message, colors.warn, width)),
  ];
}

function labelled(label: string, text: string, color: (text: string) => string, width: number): string {
  return `  ${color(label)} ${hanging(clean(text), label.length + 3, width)}`;
}
