import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { shownName } from '../../base/text.ts';
import type { BatchSource, SourceProblem } from '../../batch/model.ts';
import { textureLocation } from '../../pack/names.ts';
import type { Variant } from '../../skin/regions.ts';
import type { ProfileSkin } from '../../textures/commands.ts';
import type { BatchCall } from '../batch/output.ts';
import { guardOf, kindOfOut } from '../batch/output.ts';
import { sourceReportOf } from '../errors/error-report.ts';
import { exitStatus } from '../errors/exit.ts';
import { specOf } from '../options/skin-options.ts';
import { isPackFormat, type PackFormatName } from '../output/format-names.ts';
import { filePath, hasForm, packCommand } from '../output/formats.ts';
import { startOf } from '../output/output-guard.ts';
import { JsonPrinter, type ResultView, resultView, sayWhereToTypeCommands } from '../output/results.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean } from '../text/text.ts';
import { namedSources } from './named-sources.ts';
import { type GuessedPack, IndexedPack, type PackSkins, profileOf } from './pack-skins.ts';
import { FetchedTextures, listSources, readSources } from './pack-sources.ts';

/** A source with what its commands contain, or why it has none. */
type Found = { readonly source: BatchSource } & (
  | { readonly id: string; readonly skin: ProfileSkin; readonly problem?: never }
  | { readonly problem: SourceProblem; readonly id?: never; readonly skin?: never }
);

/**
 * Prints commands that need nothing but a pack: no service, no key, and for files no network. @throws CliError
 */
export async function printCommands(call: BatchCall, pack: PackSkins): Promise<number> {
  const { context, typed } = call;
  const formats = (call.settings.format ?? []).filter(isPackFormat);
  const printer = new CommandPrinter(context.io, {
    json: context.flags.json ?? false,
    ndjson: typed.ndjson ?? false,
    isList: call.isList,
  });
  const save = saver(call, formats);
  let failed = 0;
  try {
    for await (const { source, id, skin, problem } of skinsOf(call, pack)) {
      if (problem) {
        failed++;
        await printFailure(source.label, problem, context);
        printer.fail(resultView({ source: source.label, error: problem }));
        continue;
      }
      const named = typed.name === undefined ? skin : { ...skin, name: shownName(typed.name) };
      const commands = formats.map((format) => [format, packCommand(format, named)] as const);
      save(id, commands);
      printer.add(source.label, commands);
    }
    printer.end();
  } finally {
    printer.endEarly();
  }
  if (failed === 0 && !call.isList && !typed.ndjson) sayWhereToTypeCommands(formats, context);
  return exitStatus(failed === 0 ? 'done' : 'failed');
}

type Commands = readonly (readonly [format: PackFormatName, command: string])[];

class CommandPrinter extends JsonPrinter {
  add(source: string, commands: Commands): void {
    const json = () =>
      commands.length === 1 ? commands[0]![1] : { source, ...Object.fromEntries(commands) };
    if (this.printJson(json, this.next())) return;
    for (const [, command] of commands) this.io.out.write(`${clean(command)}\n`);
  }

  fail(result: ResultView): void {
    this.printJson(() => result, this.next());
  }
}

async function* skinsOf(call: BatchCall, pack: PackSkins): AsyncGenerator<Found> {
  const { context, typed } = call;
  const sources = await listSources(specOf(typed), [], context);
  if (pack instanceof IndexedPack) yield* skinsIn(pack, sources, call);
  else yield* guessedSkins(pack, sources, call);
}

function* skinsIn(
  pack: IndexedPack,
  sources: readonly BatchSource[],
  { context }: BatchCall,
): Generator<Found> {
  for (const source of sources) {
    const { content } = source;
    if (content.kind === 'problem') {
      yield { source, problem: content.problem };
      continue;
    }
    try {
      const skin = pack.skinOf(source);
      yield { source, id: skin.id, skin: profileOf(skin) };
    } catch (error) {
      yield { source, problem: sourceReportOf(error, context) };
    }
  }
}

/** Without the pack, its ids are those of a first pack of the same sources, and pictures show the arms. */
async function* guessedSkins(
  { namespace }: GuessedPack,
  sources: readonly BatchSource[],
  { context, typed, purpose }: BatchCall,
): AsyncGenerator<Found> {
  const { folders, clock } = context;
  const fetched = new FetchedTextures(join(folders.data, 'batches', 'packs'), purpose, () => clock.now());
  const reading = {
    fetched,
    homes: [process.cwd(), ...typed.sources.map((path) => dirname(resolve(path)))],
    variant: isArms(typed.variant) ? typed.variant : undefined,
    keepsTransparency: true,
  };
  for await (const { source, id, name, read, problem } of readSources(
    namedSources(sources, process.cwd(), undefined),
    reading,
    context,
  )) {
    if (problem) yield { source, problem };
    else {
      const look = { texture: textureLocation(namespace, 'texture', id) };
      yield { source, id, skin: { name, variant: read.skin.variant, look } };
    }
  }
  fetched.clear();
}

function isArms(variant: string | undefined): variant is Variant {
  return variant === 'classic' || variant === 'slim';
}

/** Writes the commands of each source to files, if the user wants that. */
function saver({ typed, settings }: BatchCall, formats: readonly PackFormatName[]) {
  const { out } = typed;
  if (out === undefined) return () => {};
  const guard = guardOf(typed);
  const isFile = kindOfOut(out, settings.format) === 'file';
  const pathOf = (format: PackFormatName, id: string) => (isFile ? out : join(out, filePath(format, id)));
  const isOurs = (format: PackFormatName) => (path: string) =>
    hasForm(format, startOf(path, statSync(path).size).toString());
  if (isFile) for (const format of formats) guard.verify(out, { isOurs: isOurs(format) });
  return (id: string, commands: Commands) => {
    for (const [format, command] of commands)
      guard.write(pathOf(format, id), `${command}\n`, { isOurs: isOurs(format) });
  };
}
