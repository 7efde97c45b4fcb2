import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { isStream, Replacement, removeLeftovers } from '../../base/files.ts';
import { streamLines } from '../../base/streams.ts';
import { parsedJson } from '../../base/text.ts';
import type { SetFileFormat } from '../../client/account-client.ts';
import type { SkinExportFormat } from '../../client/types.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { whereOffered } from '../nouns.ts';
import { addOutFile, nonEmpty, outFileOf, type TypedOutFile } from '../options/option-values.ts';
import { armVariantOption, visibilityOption } from '../options/skin-options.ts';
import type { Fields } from '../output/described.ts';
import { OutputGuard } from '../output/output-guard.ts';
import { clean, count, jsonDocument } from '../text/text.ts';

interface Exported {
  readonly skins: number;
  /** Where the next export begins, if there are more skins. */
  readonly next: string | undefined;
}

/** Requests an export that begins after this place; undefined: at the newest skin. */
type Download = (after: string | undefined) => AsyncIterable<Uint8Array>;

/** Takes the next bytes of the file. */
type Sink = (bytes: Uint8Array) => Promise<void> | void;

/** Downloads a whole file. @throws CliError `export_cut_off` if its end is missing */
type Copy = (download: Download, after: string | undefined, sink: Sink) => Promise<Exported>;

/** What each format needs, so that the file is complete and its skins are counted. */
export const EXPORT_COPIES: Readonly<Record<SkinExportFormat, Copy>> = { zip: copyZip, lock: copyLock };

/** Bytes of an export: those of 300,000 skins. */
const MAX_BYTES = 1024 ** 3;

/** Accepts no more than a service can have for one caller, so that an answer cannot fill the disk. @throws CliError */
export function bounded(sink: Sink, maxBytes = MAX_BYTES): Sink {
  let taken = 0;
  return async (bytes) => {
    taken += bytes.length;
    if (taken > maxBytes) throw tooLarge(maxBytes);
    await sink(bytes);
  };
}

/** `PK\x05\x06`: the record at the end of an archive. */
const END_SIGNATURE = Buffer.from('PK\x05\x06');
const END_SIZE = 22;
/** Longest comment behind that record that is looked for. */
const MAX_COMMENT = 1024;

async function copyZip(download: Download, after: string | undefined, sink: Sink): Promise<Exported> {
  let tail: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const bytes of download(after)) {
    await sink(bytes);
    size += bytes.length;
    tail = Buffer.concat([tail, bytes.subarray(-END_SIZE - MAX_COMMENT)]).subarray(-END_SIZE - MAX_COMMENT);
  }
  return endOfZip(tail, size);
}

/** Proves by the last record that the archive is complete. `size`: of the archive. @throws CliError */
function endOfZip(tail: Buffer, size: number): Exported {
  const start = tail.lastIndexOf(END_SIGNATURE);
  const end = tail.subarray(start);
  if (start === -1 || end.length < END_SIZE) throw cutOff();
  const directory = end.readUInt32LE(12) + end.readUInt32LE(16);
  if (directory + end.length !== size || END_SIZE + end.readUInt16LE(20) !== end.length) throw cutOff();
  const next = /\bafter=(\S+)$/.exec(end.toString('latin1', END_SIZE))?.[1];
  const others = next === undefined ? 1 : 2; // skins.lock, and MORE.txt where there are more skins
  return { skins: end.readUInt16LE(10) - others, next };
}

/** Lines need no end of their own, so one part after another is requested until there are no more. */
async function copyLock(download: Download, after: string | undefined, sink: Sink): Promise<Exported> {
  let skins = 0;
  for (let place = after; ; ) {
    let last: Uint8Array | undefined;
    for await (const line of linesOf(download(place))) {
      await sink(line);
      last = line;
      skins++;
    }
    if (!last) return { skins, next: undefined };
    place = placeBehind(last, place);
  }
}

/** Longest line; those of the service are below 8 KiB. */
const MAX_LINE = 256 * 1024;

/** Whole lines, each with the line break at its end. @throws CliError */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const { bytes, isEnded } of streamLines(chunks, MAX_LINE)) {
    if (!bytes) throw unreadable();
    if (!isEnded) throw cutOff();
    yield bytes;
  }
}

/** @throws CliError when the line has no UUID, or the service begins again where it began before */
function placeBehind(line: Uint8Array, before: string | undefined): string {
  const { uuid } = Object(parsedJson(line)) as { readonly uuid?: unknown };
  if (typeof uuid !== 'string' || uuid === before) throw unreadable();
  return uuid;
}

function cutOff(): CliError {
  return new CliError('export_cut_off', 'The export is incomplete.', {
    hint: 'Run the command again.',
    exit: 'tryLater',
  });
}

function tooLarge(maxBytes: number): CliError {
  const message = `The service sent an export of more than ${maxBytes / 1024 ** 2} MiB.`;
  return new CliError('unreadable_export', message, {
    hint: 'If you have that many skins, export them in parts: --visibility, --variant, --filter.',
  });
}

function unreadable(): CliError {
  return new CliError('unreadable_export', 'The service sent an export that this program cannot read.');
}

const FORMATS: readonly SkinExportFormat[] = ['zip', 'lock'];
const EXPORT = { what: 'export your skins', about: ['user_not_found'] };

export interface SkinsExportOptions extends TypedOutFile {
  readonly format?: SkinExportFormat;
  readonly filter?: string;
  readonly variant?: 'classic' | 'slim';
  readonly visibility?: SkinVisibility;
  readonly after?: string;
  readonly overwrite?: boolean;
}

const FIELDS: Fields<Exported & { file: string; format: SkinExportFormat }> = {
  file: 'path of the file',
  format: 'zip or lock',
  skins: 'number of skins in the file',
  next: 'value of --after for the next file, if there are more skins',
};
export const skinsExport = {
  description:
    'Save all of your skins in one file, newest first.\n' +
    'A zip archive holds the pictures, and skins.lock with the values and signatures; unpacked, it is a ' +
    'folder that skinsmith generate and skinsmith verify understand. The format lock is skins.lock without ' +
    'the pictures. If one archive does not hold all skins, says how to export the rest.',
  examples: {
    'Save all of your skins in skins.zip': 'skinsmith skins export',
    'Save only the values and signatures of your public skins':
      'skinsmith skins export --out public.lock --visibility public',
    'Replace an earlier export': 'skinsmith skins export --out backup.zip --overwrite',
  },
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare: (command) =>
    addOutFile(command, { about: 'file to write, or - for stdout (default: skins.zip or skins.lock)' })
      .addOption(
        new Option(
          '--format <format>',
          'format of the file (default: lock if its name ends in .lock, otherwise zip)',
        ).choices(FORMATS),
      )
      .option('--filter <text>', 'export only skins whose names contain all of these words')
      .addOption(armVariantOption('export only skins with this arm variant'))
      .addOption(visibilityOption('export only skins with this visibility'))
      .option('--after <uuid>', 'export only skins after this one: where an earlier export ended', nonEmpty)
      .option('--overwrite', 'replace an existing file, but never a picture'),
  run: runSkinsExport,
} satisfies CommandModule;

/** `typed`: the file to write, or `-` for stdout, where `--out` does not name it. */
export async function runSkinsExport(
  typed: string | undefined,
  { out, ...options }: SkinsExportOptions,
  context: CommandContext,
): Promise<void> {
  const named = outFileOf(typed, { ...(out !== undefined && { out }) });
  const { format = named?.endsWith('.lock') ? 'lock' : 'zip', after, overwrite, ...filters } = options;
  const file = named ?? `skins.${format}`;
  verifyTarget(file, { format, isText: format === 'lock', overwrite }, context);
  const { client } = await connectWithProgress(await context.settings(), context);
  const { signal } = context;
  const copy = async (sink: Sink) =>
    await EXPORT_COPIES[format](
      (place) => client.account.exportSkins(format, { ...filters, after: place }, { signal }),
      after,
      bounded(sink),
    );
  const exported = await whereOffered(EXPORT, async () =>
    file === '-' ? await print(copy, context) : await save(copy, { file, overwrite }, context),
  );
  await tell({ file, format, ...exported }, context);
}

interface ExportTarget {
  /** Its extension. */
  readonly format: string;
  readonly isText: boolean;
  readonly overwrite: boolean | undefined;
}

/** Before anything is requested. @throws CliError */
function verifyTarget(
  file: string,
  { format, isText, overwrite }: ExportTarget,
  { io, flags }: CommandContext,
): void {
  if (file !== '-') {
    verifyPlace(file, overwrite);
    return;
  }
  if (flags.json) {
    const hint = `Write the export to a file, such as skins.${format}, or leave out --json.`;
    throw usageError('stdout_taken', 'The export and the JSON document cannot both go to stdout.', hint);
  }
  if (!isText && io.out.isTTY) {
    const hint = 'Name a file, such as skins.zip, or print text with --format lock.';
    throw usageError('zip_on_terminal', 'Cannot write a zip archive to a terminal.', hint);
  }
}

/** @throws CliError when something has this name, be it an earlier export or a link that leads nowhere */
function verifyPlace(file: string, overwrite: boolean | undefined): void {
  if (isStream(file)) return;
  if (overwrite) new OutputGuard([], { overwrite }).verify(file, { isOurs: () => false, isLockfile: true });
  else if (lstatSync(resolve(file), { throwIfNoEntry: false })) throw alreadyThere(file);
}

function alreadyThere(file: string): CliError {
  const hint = 'Choose another output file, or replace it: --overwrite';
  return usageError('file_exists', `${clean(file)} already exists.`, hint);
}

type FillSink<T> = (sink: Sink) => Promise<T>;

/** Removes a file that could not be finished. */
export async function save<T>(
  fill: FillSink<T>,
  { file, overwrite }: { readonly file: string; readonly overwrite: boolean | undefined },
  { clock, messages }: CommandContext,
): Promise<T> {
  const path = resolve(file);
  removeLeftovers(path, clock.now());
  const progress = await messages.progress('Exporting');
  const replacement = new Replacement(path);
  try {
    const exported = await fill((bytes) => replacement.write(bytes));
    replacement.close(true);
    verifyPlace(file, overwrite); // something may have been put there meanwhile
    replacement.replace(true);
    return exported;
  } catch (error) {
    replacement.discard();
    throw error;
  } finally {
    progress.stop();
  }
}

/** Only text goes to a terminal. */
export async function print<T>(fill: FillSink<T>, { io: { out } }: CommandContext): Promise<T> {
  if (!out.isTTY) return await fill(async (bytes) => await out.writePart(bytes));
  return await fill(
    async (line) => await out.writePart(`${clean(Buffer.from(line).toString()).trimEnd()}\n`),
  );
}

async function tell(
  { file, format, skins, next }: Exported & { readonly file: string; readonly format: SkinExportFormat },
  { io, flags, messages }: CommandContext,
): Promise<void> {
  const view = { file, format, skins, next };
  if (flags.json) io.out.write(jsonDocument(view));
  else if (file !== '-')
    messages.say(`Wrote ${count(skins)} ${skins === 1 ? 'skin' : 'skins'} to ${clean(file)}.`);
  if (next === undefined) return;
  await messages.warn(`One file does not hold all skins. To export more: --after ${next}`);
}

const SET_FORMATS: readonly SetFileFormat[] = ['zip', 'lock', 'pack', 'datapack'];

/** Ends of the file's usual name. */
const ENDINGS: Readonly<Record<SetFileFormat, string>> = {
  zip: '.zip',
  lock: '.lock',
  pack: '-pack.zip',
  datapack: '-datapack.zip',
};

interface SetsExportOptions extends TypedOutFile {
  readonly format?: SetFileFormat;
  readonly namespace?: string;
  readonly game?: string;
  readonly overwrite?: boolean;
}

interface SetExportView {
  readonly file: string;
  readonly format: SetFileFormat;
  readonly sha1: string;
}

const SET_EXPORT_FIELDS: Fields<SetExportView> = {
  file: 'path of the file',
  format: 'zip, lock, pack or datapack',
  sha1: 'SHA-1 of the file: resource-pack-sha1 of server.properties for a pack',
};

export const setsExport = {
  description:
    'Save the skins of a set in one file.\n' +
    'zip: the pictures, and skins.lock with the values and signatures; lock: skins.lock alone; pack: a resource ' +
    'pack for Minecraft 1.21.9 and later, which needs no signatures; datapack: functions that summon the skins ' +
    'of the pack.',
  examples: {
    'Save the pictures, values and signatures of a set': 'skinsmith sets export guards',
    'Save the resource pack of a set': 'skinsmith sets export guards --format pack --out guards-pack.zip',
  },
  output: [{ json: { shape: 'object', fields: SET_EXPORT_FIELDS } }],
  declare(command) {
    command.argument('<set>', 'name or UUID of a set', nonEmpty);
    addOutFile(command, {
      about: 'file to write, or - for stdout (default: named after the set)',
      usage: '<set>',
    })
      .addOption(
        new Option(
          '--format <format>',
          'format of the file (default: lock if its name ends in .lock, otherwise zip)',
        ).choices(SET_FORMATS),
      )
      .option('--namespace <name>', 'namespace of the pack (default: the name of the set)', nonEmpty)
      .option('--game <versions>', 'versions of Minecraft for the pack, such as 1.21.9..26.1', nonEmpty)
      .option('--overwrite', 'replace an existing file, but never a picture');
  },
  run: runSetsExport,
} satisfies CommandModule;

async function runSetsExport(
  set: string,
  typed: string | undefined,
  options: SetsExportOptions,
  context: CommandContext,
): Promise<void> {
  const named = outFileOf(typed, options);
  const { format = named?.endsWith('.lock') ? 'lock' : 'zip', namespace, game, overwrite } = options;
  verifyPackOptions(format, { namespace, game });
  const file = named ?? `${set.replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}${ENDINGS[format]}`;
  verifyTarget(file, { format, isText: format === 'lock', overwrite }, context);
  const { client } = await connectWithProgress(await context.settings(), context);
  const sha1 = createHash('sha1');
  const fill = async (sink: Sink) => {
    const counted = bounded(async (bytes) => {
      sha1.update(bytes);
      await sink(bytes);
    });
    const whole = client.account.sets.file(set, format, { namespace, game }, { signal: context.signal });
    // A lockfile of several parts ends with an empty one; that of a set has one part.
    await EXPORT_COPIES[format === 'lock' ? 'lock' : 'zip'](
      (after) => (after === undefined ? whole : nothing()),
      undefined,
      counted,
    );
  };
  await whereOffered({ what: 'export sets', about: ['set_not_found'] }, async () =>
    file === '-' ? await print(fill, context) : await save(fill, { file, overwrite }, context),
  );
  tellOfSet({ file, format, sha1: sha1.digest('hex') }, context);
}

function verifyPackOptions(
  format: SetFileFormat,
  options: Pick<SetsExportOptions, 'namespace' | 'game'>,
): void {
  const stray = Object.entries(options).find(([, value]) => value !== undefined);
  if (stray && (format === 'zip' || format === 'lock'))
    throw usageError('option_without_pack', `--${stray[0]} goes with --format pack or datapack.`);
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

function tellOfSet(view: SetExportView, { io, flags, messages }: CommandContext): void {
  if (flags.json) io.out.write(jsonDocument(view));
  if (flags.json || view.file === '-') return;
  messages.say(`Wrote ${clean(view.file)}.`);
  if (view.format === 'pack') messages.say(`resource-pack-sha1=${view.sha1}`);
}
