import { isSingle } from '../../batch/sources/lists.ts';
import { rootsOf, specOf } from '../batch/call.ts';
import { PLAN_OUTPUT } from '../batch/summary.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import {
  addBatchOptions,
  addOutputOptions,
  addSourceOptions,
  SOURCE_KINDS,
} from '../options/batch-options.ts';
import { addSkinOptions, typedSettings, verifyName } from '../options/skin-options.ts';
import { JOB_OUTPUT, RESULT_OUTPUT } from '../output/results.ts';
import {
  capeOf,
  type GenerateCommandOptions,
  namesFolder,
  purposeOf,
  runMany,
  verifySources,
  withStdout,
} from './generate.ts';

export interface QueueOptions extends GenerateCommandOptions {
  readonly wait?: boolean;
}

export const queue = {
  description:
    'Submit skins to the queue without waiting for them.\n' +
    'Submits each source as soon as the queue has a free slot and prints its job. With --wait, ' +
    'follows the jobs and prints the skins instead.',
  examples: [
    ['Submit a folder and print the jobs', 'skinsmith queue skins/'],
    ['Submit a list of sources and wait for the skins', 'skinsmith queue --from skins.csv --wait'],
  ],
  output: [JOB_OUTPUT, { mode: '--wait', ...RESULT_OUTPUT }, ...PLAN_OUTPUT],
  declare(command) {
    command.argument('[source...]', SOURCE_KINDS);
    addSkinOptions(addSourceOptions(command));
    addBatchOptions(addOutputOptions(command).option('--wait', 'wait for the jobs and print the skins'));
  },
  run: runQueue,
} satisfies CommandModule;

export async function runQueue(
  sources: readonly string[],
  options: Omit<QueueOptions, 'sources'>,
  context: CommandContext,
): Promise<number> {
  const typed = withStdout({ ...options, sources });
  verifySources(typed);
  const isOne = await isSingle(specOf(typed), rootsOf(context));
  verifyName(typed, isOne);
  const follow = typed.wait ?? false;
  if (!follow) verifyNeedsNoEnd(typed);
  const settings = await context.settings({ ...typedSettings(typed), slots: typed.slots });
  await namesFolder(typed.out, { isOne, formats: settings.format });
  const cape = await capeOf(typed, settings, context);
  const purpose = purposeOf(follow ? 'queue --wait' : 'queue', typed, cape);
  return await runMany({ context, settings, typed, cape, follow, isList: !isOne, purpose });
}

/** Rejects options about results: `queue` ends before there are any. */
function verifyNeedsNoEnd({ out, frozen, report, prune }: QueueOptions): void {
  const wrong = { '--out': out, '--frozen': frozen, '--report': report, '--prune': prune };
  const [name] = Object.entries(wrong).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw usageError(
    'needs_wait',
    `${name} needs finished skins; queue does not wait for them.`,
    'Add --wait.',
  );
}
