import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { usageError } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import type { Runner } from '../../runner.ts';
import { addKeyChangeOptions, keyChange, type TypedKeyChange } from './key-options.ts';
import { keyRows } from './key-rows.ts';

export function register(command: Command, runner: Runner, run = runKeysChange): void {
  addKeyChangeOptions(
    command
      .description(
        'Changes an API key of a skinsmith service and prints how it is now. What is not named stays; ' +
          'places that are named take the place of all before of their kind.',
      )
      .argument('<id>', 'id of the key, as keys list prints it'),
  ).action(
    async (id: string, typed: TypedKeyChange) => await runner(async (deps) => await run(id, typed, deps)),
  );
}

export async function runKeysChange(id: string, typed: TypedKeyChange, deps: Deps): Promise<number> {
  const change = keyChange(typed);
  if (Object.keys(change).length === 0) {
    throw usageError('nothing_to_change', 'Say what to change.', 'See: skinsmith keys change --help');
  }
  const key = await withAccount(deps, (account) => account.changeKey(id, change, { signal: deps.signal }));
  deps.io.out.write(deps.flags.json ? jsonDocument(key) : keyRows([key], deps));
  return exitStatus('done');
}
