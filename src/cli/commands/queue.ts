import type { Command } from 'commander';
import type { Connection } from '../connect.ts';
import { mergeNotes, prepareSource, type SkinWish } from '../convert.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { followJobs, type QueuedJob, SpotKeeper } from '../follow.ts';
import { connectTelling, failedResult, tellNotes, tellOneFailure, tellWhoTrusts } from '../outcomes.ts';
import { JobPrinter } from '../output/job-printer.ts';
import { ResultPrinter } from '../output/result-printer.ts';
import { jobView, type ResultView } from '../output/views.ts';
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

export interface QueueOptions extends TypedSkinOptions, TypedOutputOptions {
  readonly sources: readonly string[];
  readonly wait?: boolean;
  readonly slots?: string;
}

export function register(command: Command, runner: Runner, run = runQueue): void {
  command
    .description(
      'Submits each source as a spot in the queue opens and prints its job as it is accepted. ' +
        'With --wait it follows the jobs and prints the skins instead.',
    )
    .argument('<source...>', 'PNG files, folders of them, - for stdin');
  addNdjsonOption(addFormatOption(addSkinOptions(command)))
    .option('--wait', 'follow the jobs to their end and print the skins')
    .option('--slots <number>', 'spots in the queue to use at the most')
    .action(
      async (sources: string[], typed: Omit<QueueOptions, 'sources'>) =>
        await runner(async (deps) => await run({ ...typed, sources }, deps)),
    );
}

export async function runQueue(options: QueueOptions, deps: Deps): Promise<number> {
  const settings = await deps.settings({ ...typedSettings(options), slots: options.slots });
  const sources = await expandSources(options.sources, deps.io);
  const wish = skinWish(options, settings, sources.length);
  const isList = sources.length > 1 || options.sources.length > 1;
  const json = deps.flags.json ?? false;
  const shape = { json, ndjson: options.ndjson ?? false, format: settings.format, isList };
  const results = new ResultPrinter(deps.io, shape);
  const jobs = new JobPrinter(deps.io, shape);
  const connection = await connectTelling(settings, deps);
  const spots = new SpotKeeper(connection.client, {
    slots: settings.slots,
    clock: deps.clock,
    signal: deps.signal,
  });
  const accepted: QueuedJob[] = [];
  let failures = 0;
  try {
    for (const source of sources) {
      await spots.untilOneIsOpen();
      const outcome = await queueOne(source, { wish, connection, deps, isList });
      if ('error' in outcome) {
        failures++;
        await results.add(outcome);
        continue;
      }
      accepted.push(outcome);
      spots.take(outcome.state.job);
      if (!options.wait) await jobs.add(jobView(outcome.state.job, source.label));
    }
    if (options.wait) {
      for await (const result of followJobs(accepted, { connection, deps })) {
        if (result.error) failures++;
        await results.add(result);
      }
    }
  } finally {
    if (options.wait) results.end();
    else jobs.end();
  }
  if (options.wait) await tellWhoTrusts(connection, deps);
  return exitStatus(failures > 0 ? 'failed' : 'done');
}

interface OneOptions {
  readonly wish: SkinWish;
  readonly connection: Connection;
  readonly deps: Deps;
  readonly isList: boolean;
}

async function queueOne(
  named: NamedSource,
  { wish, connection, deps, isList }: OneOptions,
): Promise<QueuedJob | (ResultView & { error: object })> {
  const progress = await deps.talk.progress(`Submitting ${named.label}`);
  try {
    const { source, options, warnings } = await prepareSource(named, wish, connection);
    const state = await connection.client.queue(source, options, { signal: deps.signal });
    progress.stop();
    await deps.submissions.record(state.job.id, named.label);
    const all = mergeNotes(warnings, state.warnings);
    await tellNotes(all, isList ? named.label : undefined, deps);
    return { label: named.label, state, warnings: all };
  } catch (error) {
    progress.stop();
    const told = await tellOneFailure(error, named, deps);
    return { ...failedResult(named, told), error: { code: told.code, message: told.message } };
  }
}
