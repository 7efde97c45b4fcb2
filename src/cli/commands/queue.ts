import type { Command } from 'commander';
import { isSingle } from '../../batch/sources/sources.ts';
import { rootsOf, specOf } from '../batch/sources.ts';
import { addBatchOptions, addSourceOptions } from '../batch/typed-options.ts';
import type { Deps } from '../deps.ts';
import { usageError } from '../outcomes.ts';
import type { Runner } from '../runner.ts';
import { capeOf, type GenerateOptions, purposeOf, runMany, verifySources } from './generate.ts';
import {
  addFormatOption,
  addNdjsonOption,
  addSkinOptions,
  typedSettings,
  verifyName,
} from './skin-options.ts';

export interface QueueOptions extends GenerateOptions {
  readonly wait?: boolean;
}

export function register(command: Command, runner: Runner, run = runQueue): void {
  command
    .description(
      'Submits each source as a spot in the queue opens and prints its job as it is accepted. ' +
        'With --wait it follows the jobs and prints the skins instead.',
    )
    .argument('[source...]', 'PNG files, folders of them, URLs, players (UUID or name), - for stdin');
  addSourceOptions(addSkinOptions(command));
  addBatchOptions(
    addNdjsonOption(addFormatOption(command)).option(
      '--wait',
      'follow the jobs to their end and print the skins',
    ),
  ).action(
    async (sources: string[], typed: Omit<QueueOptions, 'sources'>) =>
      await runner(async (deps) => await run({ ...typed, sources }, deps)),
  );
}

export async function runQueue(typed: QueueOptions, deps: Deps): Promise<number> {
  verifySources(typed);
  const isOne = await isSingle(specOf(typed), rootsOf(deps.io));
  verifyName(typed, isOne);
  const follow = typed.wait ?? false;
  if (!follow) verifyNeedsNoEnd(typed);
  const settings = await deps.settings({ ...typedSettings(typed), slots: typed.slots });
  const cape = await capeOf(typed, settings, deps);
  const purpose = purposeOf(follow ? 'queue --wait' : 'queue', typed, cape);
  return await runMany({ deps, settings, typed, cape, follow, isList: !isOne, purpose });
}

/** What is about results makes no sense before there are any. */
function verifyNeedsNoEnd({ out, frozen, report, prune }: QueueOptions): void {
  const wrong = { '--out': out, '--frozen': frozen, '--report': report, '--prune': prune };
  const [name] = Object.entries(wrong).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw usageError(
    'needs_wait',
    `${name} is about finished skins, and queue does not wait for them.`,
    'Add --wait.',
  );
}
