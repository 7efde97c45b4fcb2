import type { Command } from 'commander';
import type { CommandContext, Runner } from '../context/context.ts';
import { withFileFor } from '../context/data-owner.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/help-page.ts';
import { nonEmpty } from '../options/option-values.ts';
import type { CommandOutput, Fields } from '../output/described.ts';
import { jsonLine } from '../text/text.ts';

interface RestoreOptions {
  readonly data?: string;
  readonly force?: boolean;
}

export const examples: Examples = [
  ['Restore a backup into a new data folder', 'skinsmith restore skins.backup --data restored/'],
  ['Replace the data of this machine and keep the old data aside', 'skinsmith restore skins.backup --force'],
];

interface RestoredView {
  readonly data: string;
  readonly made: string;
  readonly version: string;
  readonly aside?: string;
}

const FIELDS: Fields<RestoredView> = {
  data: 'the data folder',
  made: 'when the backup was made',
  version: 'version of skinsmith that made it',
  aside: 'where the earlier data is now',
};

export const output: readonly CommandOutput[] = [{ json: { shape: 'object', fields: FIELDS } }];

export function register(command: Command, runner: Runner, run = runRestore): void {
  command
    .description(
      'Restore a backup into a data folder.\n' +
        'Checks the backup first; either everything is restored or nothing. No server may be running on ' +
        'that folder.',
    )
    .argument('<file>', 'file written by skinsmith backup', nonEmpty)
    .option('--data <folder>', 'data folder of the service', nonEmpty)
    .option('--force', 'move existing data into a folder with the date in its name')
    .action(
      async (file: string, typed: RestoreOptions) =>
        await runner(async (context) => await run({ file, ...typed }, context)),
    );
}

export async function runRestore(
  { file, data, force = false }: RestoreOptions & { readonly file: string },
  { folders, clock, flags, io, messages }: CommandContext,
): Promise<number> {
  const { restore } = await import('../../server/server.ts');
  const dataDir = data ?? folders.data;
  const { time, version, aside } = await withFileFor(
    dataDir,
    file,
    async (backup) => await restore({ dataDir, file: backup, force, now: clock.now() }),
  );
  const made = new Date(time).toISOString();
  const view: RestoredView = {
    data: dataDir,
    made,
    version,
    ...(aside !== undefined && { aside }),
  };
  if (flags.json) io.out.write(jsonLine(view));
  messages.say(`Restored ${dataDir} to the state of ${made}.`);
  if (aside !== undefined) messages.say(`The previous data is in ${aside}.`);
  return exitStatus('done');
}
