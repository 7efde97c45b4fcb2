import { statSync } from 'node:fs';
import { join } from 'node:path';
import { OutputNames } from '../../batch/plan/output-names.ts';
import type { SkinClient } from '../../index.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { connectWithProgress } from '../connection/connector.ts';
import { verifyUuids } from '../connection/skins.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { concernsOneSource, reportOf } from '../errors/error-report.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { namingOf } from '../errors/service-hints.ts';
import { OutputGuard } from '../options/output-guard.ts';
import { OVERWRITE } from '../options/skin-options.ts';
import { columnRows, type Fields, fieldColumns } from '../output/described.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, jsonDocument } from '../text/text.ts';

export interface SkinsDownloadOptions {
  /** Folder. */
  readonly out?: string;
  readonly overwrite?: boolean;
}

/** Textures are saved unchanged, without a mark: an existing file is either the same or not ours. */
const TEXTURE = { isOurs: () => false, isPicture: true };

/** A texture that was downloaded. */
interface Downloaded {
  readonly uuid: string;
  readonly name?: string | undefined;
  readonly file: string;
}

const COLUMNS = fieldColumns<Downloaded>('uuid', 'file', 'name');

const FIELDS: Fields<Downloaded> = {
  uuid: 'UUID of the skin',
  name: 'name of the skin',
  file: 'path of the PNG file',
};
export const skinsDownload = {
  description:
    'Save the textures of skins as PNG files.\n' +
    'Files are named after the skins and their UUIDs. Prints which skin is in which file.',
  examples: [
    ['Save a texture in the current folder', 'skinsmith skins download UUID'],
    [
      'Save the textures of all your skins in a folder',
      'skinsmith skins list --all | cut -f1 | xargs -r skinsmith skins download --out textures/',
    ],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'object or list', fields: FIELDS } }],
  declare(command) {
    command
      .argument('<uuid...>', 'UUIDs of skins')
      .option('--out <folder>', 'folder for the files (default: the current folder)')
      .option(...OVERWRITE);
  },
  run: runSkinsDownload,
} satisfies CommandModule;

export async function runSkinsDownload(
  uuids: readonly string[],
  options: SkinsDownloadOptions,
  context: CommandContext,
): Promise<number> {
  const { out = '.' } = options;
  verifyUuids(uuids, context);
  verifyFolder(out);
  const { client } = await connectWithProgress(await context.settings(), context);
  const names = new OutputNames();
  const guard = new OutputGuard([], options);
  const done: Downloaded[] = [];
  for (const uuid of uuids) {
    const one = await downloadOne(uuid, { client, context, names, out, guard });
    if (!one) continue;
    done.push(one);
    if (!context.flags.json) context.io.out.write(columnRows(COLUMNS, [one]));
  }
  const document = uuids.length > 1 ? done : done[0];
  if (context.flags.json && document) context.io.out.write(jsonDocument(document));
  return exitStatus(done.length === uuids.length ? 'done' : 'failed');
}

/** A folder with a picture's name is probably a mistake, unless it exists. @throws CliError */
function verifyFolder(out: string): void {
  const found = statSync(out, { throwIfNoEntry: false });
  if (found?.isDirectory() || (!found && !/\.png$/i.test(out))) return;
  const hint = 'Name a folder, such as --out textures/. The files in it are named after the skins.';
  throw usageError('not_a_folder', `${clean(out)} is not a folder.`, hint);
}

/** A texture that cannot be fetched does not stop the others. */
async function downloadOne(
  wanted: string,
  {
    client,
    context,
    names,
    out,
    guard,
  }: { client: SkinClient; context: CommandContext; names: OutputNames; out: string; guard: OutputGuard },
): Promise<Downloaded | undefined> {
  try {
    const { uuid, name } = await client.skin(wanted, { signal: context.signal });
    const png = await client.skinTexture(uuid, { signal: context.signal });
    verifyPng(png, uuid);
    // A skin always gets the same file name, and no two skins share one.
    const stem = name === undefined ? uuid : `${name.replaceAll('/', '_')}-${uuid.slice(0, 8)}`;
    const file = join(out, `${names.take(stem)}.png`);
    guard.write(file, png, TEXTURE);
    return { uuid, ...(name !== undefined && { name }), file };
  } catch (error) {
    const report = reportOf(error, namingOf(context));
    if (!report || !concernsOneSource(error)) throw error;
    await printFailure(wanted, report, context);
    return undefined;
  }
}

/** Rejects an answer that is not a PNG, so that it is never saved as one. */
function verifyPng(bytes: Uint8Array, uuid: string): void {
  try {
    decodePng(bytes);
  } catch (cause) {
    throw new CliError('invalid_texture', `The texture of ${uuid} is not a skin.`, { cause });
  }
}
