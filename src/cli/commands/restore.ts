import type { Command } from 'commander';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { jsonLine } from '../output/json.ts';
import type { Runner } from '../runner.ts';
import { nonEmpty } from './option-values.ts';

interface RestoreOptions {
  readonly data?: string;
  readonly force?: boolean;
}

export function register(command: Command, runner: Runner, run = runRestore): void {
  command
    .description(
      'Puts the data of a backup into the data folder, once the backup is found whole: all of it or nothing. ' +
        'No server may be running on that folder.',
    )
    .argument('<file>', 'a file that skinsmith backup made', nonEmpty)
    .option('--data <folder>', 'data folder of the service', nonEmpty)
    .option('--force', 'move data that is there aside, into a folder with the date in its name')
    .action(
      async (file: string, typed: RestoreOptions) =>
        await runner(async (deps) => await run({ file, ...typed }, deps)),
    );
}

export async function runRestore(
  { file, data, force = false }: RestoreOptions & { readonly file: string },
  { folders, clock, flags, io, talk }: Deps,
): Promise<number> {
  const { restore } = await import('../../server/server.ts');
  const dataDir = data ?? folders.data;
  const { time, version, aside } = await restore({ dataDir, file, force, now: clock.now() });
  const made = new Date(time).toISOString();
  if (flags.json)
    io.out.write(jsonLine({ data: dataDir, made, version, ...(aside !== undefined && { aside }) }));
  talk.say(`${dataDir} has the data of ${made} again.`);
  if (aside !== undefined) talk.say(`What was there before is in ${aside}.`);
  return exitStatus('done');
}
