import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { BatchSource, SuppliedSkin } from '../../batch/model.ts';
import { OutputNames } from '../../batch/names.ts';
import { mendPicture, readContent } from '../../batch/pictures.ts';
import { isSignatureShaped } from '../../batch/signers.ts';
import { isSingle, openSources } from '../../batch/sources/arguments.ts';
import { readTextures } from '../../dispatch/proof.ts';
import { withArms } from '../../skin/arms.ts';
import { checkSkin, type SkinReport } from '../../skin/check.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { encodePng } from '../../skin/png/encode.ts';
import type { Variant } from '../../skin/regions.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { sourceReportOf } from '../errors/error-report.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import {
  armVariantOption,
  collect,
  OVERWRITE,
  rootsOf,
  type TypedBatchOptions,
  verifySources,
} from '../options/skin-options.ts';
import { type Columns, columnRows, type Fields, fieldColumns, JsonList } from '../output/described.ts';
import { GithubReport } from '../output/github.ts';
import { COPIED_PICTURE, OutputGuard } from '../output/output-guard.ts';
import { WARNINGS_FIELD } from '../output/results.ts';
import {
  addPictureOption,
  besidePicture,
  type TypedPictureOption,
  terminalPictures,
} from '../output/terminal-picture.ts';
import { frontOf } from '../preview.ts';
import { type Colors, colorsFor, widthOf } from '../terminal/io.ts';
import { clean, count, hanging, jsonDocument } from '../text/text.ts';

interface CheckOptions
  extends TypedPictureOption,
    Pick<TypedBatchOptions, 'recursive' | 'ignore' | 'from' | 'overwrite'> {
  readonly fix?: string;
  /** The arms that the clean copies get. */
  readonly variant?: Variant;
}

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
  readonly file?: string;
}

const COLUMNS = {
  ...fieldColumns<CheckView>('source'),
  valid: ({ valid }) => (valid ? 'valid' : 'invalid'),
  ...fieldColumns<CheckView>('width', 'height', 'variant', 'confidence'),
  message: ({ error, warnings }) =>
    [error, ...warnings].flatMap((note) => (note ? [note.message] : [])).join(' '),
  ...fieldColumns<CheckView>('file'),
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
  file: 'the clean copy, with --fix',
};

export const check = {
  description:
    'Check PNG files without sending them anywhere.\n' +
    "Prints each file's type and arm variant, and any problems. The exit status is 1 if " +
    'any file is unusable. With --fix, writes a clean copy of each: HD skins are scaled down, old skins ' +
    'cut out of a 64×64 canvas, and metadata and faults of the file left out; a clean file is copied ' +
    'unchanged. With --variant, the arms are converted too.',
  examples: {
    'Check all PNG files in a folder and its subfolders': 'skinsmith check skins/ --recursive',
    'Check a picture from another program': 'cat skin.png | skinsmith check -',
    'Write copies that every service takes': 'skinsmith check skins/ --recursive --fix clean/',
    'Give a classic skin slim arms': 'skinsmith check knight.png --fix slim/ --variant slim',
  },
  output: [
    {
      columns: COLUMNS,
      columnMeanings: { message: 'what is wrong with the file, and warnings' },
      json: { shape: 'object or list', fields: FIELDS },
    },
  ],
  declare: (command) =>
    addPictureOption(command)
      .argument('[path...]', 'PNG files, folders, or - for stdin')
      .option('-r, --recursive', 'recurse into subfolders')
      .option('--ignore <pattern>', 'skip files that match this .gitignore pattern (repeatable)', collect)
      .option('--from <list>', 'check the files that a list names; - for stdin (repeatable)', collect)
      .option('--fix <folder>', 'write clean copies into this folder')
      .addOption(armVariantOption('with --fix, convert the arms of the copies to this variant'))
      .option(...OVERWRITE),
  run: runCheck,
} satisfies CommandModule;

export async function runCheck(
  paths: readonly string[],
  options: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const { recursive = false, ignore = [], from = [], picture } = options;
  verifyOptions(options);
  const copies = copiesFor(paths, options);
  const spec = { args: paths, players: [], from: [...from], recursive, ignore, as: 'file' as const };
  verifySources(spec, 'Give PNG files, a folder, or --from LIST.');
  const isList = !(await isSingle(spec, rootsOf(context)));
  const printer = await openPrinter({ isList, picture }, context);
  const tally = { all: 0, unusable: 0 };
  const github = new GithubReport(context);
  for await (const source of openSources(spec, rootsOf(context))) {
    const checked = copies ? await copies.add(source, context) : checkOne(source);
    const { view } = checked;
    if (view.error)
      github.add({ level: 'error', source: view.source, content: source.content, problem: view.error });
    printer.add(checked);
    tally.all++;
    if (!view.valid) tally.unusable++;
  }
  printer.end();
  await github.finish(`${count(tally.all)} checked, ${count(tally.unusable)} unusable.`);
  if (copies && !context.flags.json) context.messages.say(copies.text);
  if (isList && tally.unusable > 0)
    context.messages.say(`${count(tally.unusable)} of ${count(tally.all)} cannot be used.`);
  return exitStatus(tally.unusable > 0 ? 'failed' : 'done');
}

/** @throws CliError for options that cannot be combined */
function verifyOptions({ variant, fix, overwrite, from = [] }: CheckOptions): void {
  if (variant !== undefined && fix === undefined)
    throw usageError(
      'needs_fix',
      '--variant works only with --fix.',
      'Name a folder for the copies: --fix clean/',
    );
  if (overwrite && from.length > 0)
    throw usageError(
      'overwrites_sources',
      '--overwrite cannot be combined with --from: a copy could replace a file that the list names.',
      'Write into a new folder, without --overwrite.',
    );
}

function copiesFor(
  paths: readonly string[],
  { fix, overwrite, variant }: CheckOptions,
): CleanCopies | undefined {
  if (fix === undefined) return undefined;
  return new CleanCopies(fix, paths, { ...(overwrite && { overwrite }), ...(variant && { variant }) });
}

interface CheckPrinter {
  add(checked: Checked): void;
  end(): void;
}

/** Prints as JSON, as columns for programs, or for people, beside the picture if the terminal shows pictures. */
async function openPrinter(
  { isList, picture }: { isList: boolean; picture: CheckOptions['picture'] },
  { io, flags, env }: CommandContext,
): Promise<CheckPrinter> {
  const print = (text: string) => io.out.write(text);
  const end = () => {};
  if (flags.json && isList) {
    const list = new JsonList(io.out);
    let at = 0;
    return { add: ({ view }) => list.add(view, at++), end: () => list.end() };
  }
  if (flags.json) return { add: ({ view }) => print(jsonDocument(view)), end };
  if (!io.out.isTTY) return { add: ({ view }) => print(columnRows(COLUMNS, [view])), end };
  const colors = await colorsFor(io.out);
  const width = widthOf(io.out);
  const terminal = isList && picture === undefined ? undefined : terminalPictures(picture, io.out, env);
  const add = ({ view, bytes }: Checked) => {
    const lines = checkLines(view, colors, width);
    const isPictured = terminal && bytes && view.valid;
    print(
      isPictured
        ? besidePicture(frontOf(bytes, view.variant), lines, terminal)
        : lines.map((line) => `${line}\n`).join(''),
    );
  };
  return { add, end };
}

interface Checked {
  readonly view: CheckView;
  readonly bytes?: Uint8Array;
}

interface CopyOptions {
  /** As the clean copy of the file would be. */
  readonly mend?: boolean;
  /** With these arms. */
  readonly variant?: Variant | undefined;
}

function checkOne({ label, content }: BatchSource, { mend = false, variant }: CopyOptions = {}): Checked {
  if (content.kind === 'data') return { view: dataView(label, content.given) };
  const read = readContent(content, label);
  const mended = mend && 'bytes' in read ? (mendPicture(read.bytes) ?? read) : read;
  if ('problem' in mended)
    return { view: { source: label, valid: false, warnings: [], error: mended.problem } };
  const checked = checkSkin(mended.bytes);
  const bytes = checked.resaved ?? mended.bytes;
  const turned = variant && checked.variant ? turnedArms(bytes, checked.variant, variant) : undefined;
  const { warnings, ...view } = checkView(label, turned ? checkSkin(turned.bytes, variant) : checked);
  const notes = [...('notes' in mended ? mended.notes : []), ...(turned ? [turned.note] : [])];
  const kept = turned && variant ? { variant } : {};
  return { view: { ...view, ...kept, warnings: [...notes, ...warnings] }, bytes: turned?.bytes ?? bytes };
}

/** A picture with other arms; undefined if it has these arms already. */
function turnedArms(bytes: Uint8Array, from: Variant, to: Variant) {
  const picture = decodePng(bytes);
  const turned = withArms(picture, from, to);
  if (turned === picture) return undefined;
  const message =
    to === 'slim'
      ? 'The arms are slim now: each lost its second column from the body.'
      : 'The arms are classic now: the middle one of their three columns was doubled.';
  return { bytes: encodePng(turned), note: { code: 'arms_converted', message } };
}

class CleanCopies {
  readonly #folder: string;
  readonly #guard: OutputGuard;
  readonly #variant: Variant | undefined;
  readonly #names = new OutputNames();
  readonly #count = { copies: 0, changed: 0 };

  /** @throws CliError if the copies would be sources themselves */
  constructor(
    folder: string,
    paths: readonly string[],
    { variant, ...allowed }: Pick<CheckOptions, 'overwrite' | 'variant'>,
  ) {
    const isInside = paths.some((path) => !relative(path, folder).startsWith('..') && isFolder(path));
    if (isInside)
      throw usageError(
        'output_is_source',
        `${clean(folder)} is in a folder that is checked.`,
        'Choose a folder outside of it.',
      );
    this.#folder = folder;
    this.#guard = new OutputGuard(paths, allowed);
    this.#variant = variant;
  }

  get text(): string {
    const { copies, changed } = this.#count;
    return `Wrote ${count(copies)} clean ${copies === 1 ? 'copy' : 'copies'} to ${clean(this.#folder)}, ${count(changed)} of them changed.`;
  }

  /** A file that cannot be written is a problem of its own. */
  async add(source: BatchSource, context: CommandContext): Promise<Checked> {
    const checked = checkOne(source, { mend: true, variant: this.#variant });
    const { view, bytes } = checked;
    if (!view.valid || !bytes) return checked;
    const file = join(this.#folder, `${this.#names.take(source.stem)}.png`);
    try {
      this.#guard.write(file, bytes, COPIED_PICTURE);
    } catch (error) {
      const { code, message, hint } = sourceReportOf(error, context);
      return { view: { ...view, valid: false, error: { code, message, ...(hint && { hint }) } } };
    }
    this.#count.copies++;
    const before = readContent(source.content, source.label);
    if ('bytes' in before && !Buffer.from(bytes).equals(before.bytes)) this.#count.changed++;
    return { ...checked, view: { ...view, file } };
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
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
