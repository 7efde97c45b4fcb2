import type { Command } from 'commander';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { jsonLine } from '../output/json.ts';
import type { Runner } from '../runner.ts';
import { nonEmpty } from './option-values.ts';

interface BackupOptions {
  readonly data?: string;
}

export function register(command: Command, runner: Runner, run = runBackup): void {
  command
    .description(
      'Writes the data of your own service to one file, as it stands at one moment: store, keys, plans. ' +
        'Servers may go on running meanwhile. The file holds secrets, the signing key above all: keep it as such.',
    )
    .argument('<file>', 'where it goes; a file that is there is replaced once the new one is whole', nonEmpty)
    .option('--data <folder>', 'data folder of the service', nonEmpty)
    .action(
      async (file: string, typed: BackupOptions) =>
        await runner(async (deps) => await run({ file, ...typed }, deps)),
    );
}

export async function runBackup(
  { file, data }: BackupOptions & { readonly file: string },
  { folders, clock, signal, flags, io, talk }: Deps,
): Promise<number> {
  const { backUp } = await import('../../server/server.ts');
  const dataDir = data ?? folders.data;
  const bytes = await backUp({ dataDir, file, now: clock.now(), signal });
  if (flags.json) io.out.write(jsonLine({ file, bytes }));
  talk.say(`${file} has all of ${dataDir}, its secrets too. To put it back: skinsmith restore ${file}`);
  return exitStatus('done');
}
