import { createHash } from 'node:crypto';
import { Option } from 'commander';
import type { SetFileFormat } from '../../index.ts';
import { connectWithProgress, whereOffered } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import { nonEmpty } from '../options/option-values.ts';
import type { Fields } from '../output/described.ts';
import { clean, jsonDocument } from '../text/text.ts';
import { bounded, EXPORT_COPIES, print, type Sink, save, verifyTarget } from './skins-export.ts';

const FORMATS: readonly SetFileFormat[] = ['zip', 'lock', 'pack', 'datapack'];

/** Ends of the file's usual name. */
const ENDINGS: Readonly<Record<SetFileFormat, string>> = {
  zip: '.zip',
  lock: '.lock',
  pack: '-pack.zip',
  datapack: '-datapack.zip',
};

export interface SetsExportOptions {
  readonly format?: SetFileFormat;
  readonly namespace?: string;
  readonly game?: string;
  readonly overwrite?: boolean;
}

/** JSON output. */
interface ExportView {
  readonly file: string;
  readonly format: SetFileFormat;
  readonly sha1: string;
}

const FIELDS: Fields<ExportView> = {
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
  examples: [
    ['Save the pictures, values and signatures of a set', 'skinsmith sets export guards'],
    ['Save the resource pack of a set', 'skinsmith sets export guards guards-pack.zip --format pack'],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  declare(command) {
    command
      .argument('<set>', 'name or UUID of a set', nonEmpty)
      .argument('[file]', 'file to write, or - for stdout (default: named after the set)', nonEmpty)
      .addOption(new Option('--format <format>', 'what to save (default: zip)').choices(FORMATS))
      .option('--namespace <name>', 'namespace of the pack (default: the name of the set)', nonEmpty)
      .option('--game <versions>', 'versions of Minecraft for the pack, such as 1.21.9..26.1', nonEmpty)
      .option('--overwrite', 'replace an existing file, but never a picture');
  },
  run: runSetsExport,
} satisfies CommandModule;

export async function runSetsExport(
  set: string,
  named: string | undefined,
  options: SetsExportOptions,
  context: CommandContext,
): Promise<number> {
  const { format = named?.endsWith('.lock') ? 'lock' : 'zip', namespace, game, overwrite } = options;
  const file = named ?? `${set.replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}${ENDINGS[format]}`;
  verifyTarget(file, { format, isText: format === 'lock', overwrite }, context);
  const { client } = await connectWithProgress(await context.settings(), context);
  const sha1 = createHash('sha1');
  const fill = async (sink: Sink) => {
    const counted = bounded(async (bytes) => {
      sha1.update(bytes);
      await sink(bytes);
    });
    const pack = { ...(namespace !== undefined && { namespace }), ...(game !== undefined && { game }) };
    const whole = client.account.sets.file(set, format, pack, { signal: context.signal });
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
  tell({ file, format, sha1: sha1.digest('hex') }, context);
  return exitStatus('done');
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

function tell(view: ExportView, { io, flags, messages }: CommandContext): void {
  if (flags.json) io.out.write(jsonDocument(view));
  if (flags.json || view.file === '-') return;
  messages.say(`Wrote ${clean(view.file)}.`);
  if (view.format === 'pack') messages.say(`resource-pack-sha1=${view.sha1}`);
}
