import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { Replacement, removeLeftovers } from '../../../base/atomic-file.ts';
import type { SkinExportFormat, SkinVisibility } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { whereOffered } from '../../connection/where-offered.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { type CliError, exitStatus, usageError } from '../../errors/exit.ts';
import { nonEmpty } from '../../options/option-values.ts';
import { OutputGuard } from '../../options/output-guard.ts';
import type { Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { count } from '../../text/quantities.ts';
import { clean } from '../../text/text.ts';
import { bounded, EXPORT_COPIES, type Exported, type Sink } from './export-formats.ts';

const FORMATS: readonly SkinExportFormat[] = ['zip', 'lock'];
const EXPORT = { what: 'export your skins', about: ['user_not_found'] };

export interface SkinsExportOptions {
  /** File to write, or `-` for stdout. */
  readonly file?: string;
  readonly format?: SkinExportFormat;
  readonly filter?: string;
  readonly variant?: 'classic' | 'slim';
  readonly visibility?: SkinVisibility;
  readonly after?: string;
  readonly overwrite?: boolean;
}

/** JSON output. */
interface ExportView {
  readonly file: string;
  readonly format: SkinExportFormat;
  readonly skins: number;
  readonly next?: string;
}

const FIELDS: Fields<ExportView> = {
  file: 'path of the file',
  format: 'zip or lock',
  skins: 'number of skins in the file',
  next: 'value of --after for the next file, if there are more skins',
};
export const skinsExport = {
  examples: [
    ['Save all of your skins in skins.zip', 'skinsmith skins export'],
    [
      'Save only the values and signatures of your public skins',
      'skinsmith skins export public.lock --visibility public',
    ],
    ['Replace an earlier export', 'skinsmith skins export backup.zip --overwrite'],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runSkinsExport): void {
    command
      .description(
        'Save all of your skins in one file, newest first.\n' +
          'A zip archive holds the pictures, and skins.lock with the values and signatures; unpacked, it is a ' +
          'folder that skinsmith generate and skinsmith verify understand. The format lock is skins.lock without ' +
          'the pictures. If there are more skins than the service puts into one archive, says how to export the ' +
          'rest.',
      )
      .argument('[file]', 'file to write, or - for stdout (default: skins.zip or skins.lock)', nonEmpty)
      .addOption(
        new Option(
          '--format <format>',
          'format of the file (default: lock if its name ends in .lock, otherwise zip)',
        ).choices(FORMATS),
      )
      .option('--filter <text>', 'export only skins whose names contain all of these words')
      .addOption(
        new Option('--variant <variant>', 'export only skins with this arm variant').choices([
          'classic',
          'slim',
        ]),
      )
      .addOption(
        new Option('--visibility <visibility>', 'export only skins with this visibility').choices([
          'public',
          'unlisted',
          'private',
        ]),
      )
      .option('--after <uuid>', 'export only skins after this one: where an earlier export ended', nonEmpty)
      .option('--overwrite', 'replace an existing file, but never a picture')
      .action(
        async (file: string | undefined, typed: Omit<SkinsExportOptions, 'file'>) =>
          await runner(
            async (context) => await run({ ...typed, ...(file !== undefined && { file }) }, context),
          ),
      );
  },
} satisfies CommandModule;

export async function runSkinsExport(options: SkinsExportOptions, context: CommandContext): Promise<number> {
  const { format = options.file?.endsWith('.lock') ? 'lock' : 'zip', after, overwrite, ...rest } = options;
  const { file = `skins.${format}`, ...filters } = rest;
  verifyTarget(file, { format, overwrite }, context);
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
  return exitStatus('done');
}

/** Before anything is requested. @throws CliError */
function verifyTarget(
  file: string,
  { format, overwrite }: Pick<SkinsExportOptions, 'format' | 'overwrite'>,
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
  if (format === 'zip' && io.out.isTTY) {
    const hint = 'Name a file, such as skins.zip, or print text with --format lock.';
    throw usageError('zip_on_terminal', 'A zip archive is not written to a terminal.', hint);
  }
}

/** @throws CliError when something has this name, be it an earlier export or a link that leads nowhere */
function verifyPlace(file: string, overwrite: boolean | undefined): void {
  if (overwrite) new OutputGuard([], { overwrite }).verify(file, { isOurs: () => false, isLockfile: true });
  else if (lstatSync(resolve(file), { throwIfNoEntry: false })) throw alreadyThere(file);
}

function alreadyThere(file: string): CliError {
  const hint = 'Name another file, or replace it: --overwrite';
  return usageError('file_exists', `${clean(file)} already exists.`, hint);
}

type FillSink = (sink: Sink) => Promise<Exported>;

/** Nothing is left of a file that could not be finished. */
async function save(
  fill: FillSink,
  { file, overwrite }: { readonly file: string; readonly overwrite: boolean | undefined },
  { clock, messages }: CommandContext,
): Promise<Exported> {
  const path = resolve(file);
  await removeLeftovers(path, clock.now());
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
async function print(fill: FillSink, { io: { out } }: CommandContext): Promise<Exported> {
  if (!out.isTTY) return await fill(async (bytes) => await out.writePart(bytes));
  return await fill(
    async (line) => await out.writePart(`${clean(Buffer.from(line).toString()).trimEnd()}\n`),
  );
}

async function tell(
  { file, format, skins, next }: Exported & { readonly file: string; readonly format: SkinExportFormat },
  { io, flags, messages }: CommandContext,
): Promise<void> {
  const view: ExportView = { file, format, skins, ...(next !== undefined && { next }) };
  if (flags.json) io.out.write(jsonDocument(view));
  else if (file !== '-')
    messages.say(`Wrote ${count(skins)} ${skins === 1 ? 'skin' : 'skins'} to ${clean(file)}.`);
  if (next === undefined) return;
  await messages.warn(`There are more skins than one file takes. Export the next: --after ${next}`);
}
