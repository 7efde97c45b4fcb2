import type { Command } from 'commander';
import type { Connection } from '../connect.ts';
import { mergeNotes, prepareSource, type SkinWish } from '../convert.ts';
import type { Deps } from '../deps.ts';
import { exitStatus, isInterruption } from '../exit.ts';
import { connectTelling, failedResult, tellNotes, tellOneFailure, tellWhoTrusts } from '../outcomes.ts';
import { ResultPrinter } from '../output/result-printer.ts';
import { type ResultView, resultView } from '../output/views.ts';
import type { Runner } from '../runner.ts';
import { expandSources, type NamedSource } from '../sources.ts';
import {
  addFormatOption,
  addNdjsonOption,
  addSkinOptions,
  skinWish,
  type TypedOutputOptions,
  type TypedSkinOptions,
  typedSettings,
} from './skin-options.ts';

export interface GenerateOptions extends TypedSkinOptions, TypedOutputOptions {
  readonly sources: readonly string[];
}

export function register(command: Command, runner: Runner, run = runGenerate): void {
  command
    .description('Submits each source, waits for it and prints the skin: its texture value and signature.')
    .argument('<source...>', 'PNG files, folders of them, - for stdin');
  addNdjsonOption(addFormatOption(addSkinOptions(command))).action(
    async (sources: string[], typed: Omit<GenerateOptions, 'sources'>) =>
      await runner(async (deps) => await run({ ...typed, sources }, deps)),
  );
}

export async function runGenerate(options: GenerateOptions, deps: Deps): Promise<number> {
  const settings = await deps.settings(typedSettings(options));
  const sources = await expandSources(options.sources, deps.io);
  const wish = skinWish(options, settings, sources.length);
  const isList = sources.length > 1 || options.sources.length > 1;
  const printer = new ResultPrinter(deps.io, {
    json: deps.flags.json ?? false,
    ndjson: options.ndjson ?? false,
    format: settings.format,
    isList,
  });
  const connection = await connectTelling(settings, deps);
  let failures = 0;
  try {
    for (const [index, source] of sources.entries()) {
      const position = isList ? `${index + 1} of ${sources.length}: ` : '';
      const result = await generateOne(source, { wish, connection, deps, position, isList });
      if (result.error) failures++;
      await printer.add(result);
    }
  } finally {
    printer.end();
  }
  await tellWhoTrusts(connection, deps);
  if (failures > 0 && isList) deps.talk.say(`${failures} of ${sources.length} failed.`);
  return exitStatus(failures > 0 ? 'failed' : 'done');
}

interface OneOptions {
  readonly wish: SkinWish;
  readonly connection: Connection;
  readonly deps: Deps;
  /** "2 of 7: ", where there are several. */
  readonly position: string;
  readonly isList: boolean;
}

/** One source's outcome. What concerns this source alone is told and becomes part of its result. */
async function generateOne(
  named: NamedSource,
  { wish, connection, deps, position, isList }: OneOptions,
): Promise<ResultView> {
  const progress = await deps.talk.progress(`${position}Generating ${named.label}`);
  try {
    const { source, options, warnings } = await prepareSource(named, wish, connection);
    const made = await connection.client.generate(source, options, { signal: deps.signal });
    progress.stop();
    const all = mergeNotes(warnings, made.warnings);
    await tellNotes(all, isList ? named.label : undefined, deps);
    if (made.job !== undefined) await deps.submissions.record(made.job, named.label);
    return resultView({ source: named.label, job: made.job, skin: made.skin, warnings: all });
  } catch (error) {
    progress.stop();
    if (isInterruption(error))
      deps.talk.say('What the service has accepted goes on; see it with: skinsmith jobs');
    return failedResult(named, await tellOneFailure(error, named, deps));
  }
}
