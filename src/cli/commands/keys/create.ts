import type { Command } from 'commander';
import { withAccount } from '../../account.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { usageError } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import { clean, tabRows } from '../../output/text.ts';
import type { Runner } from '../../runner.ts';
import { addKeyOptions, keyChange, type TypedKeyOptions } from './key-options.ts';

export interface KeysCreateOptions extends TypedKeyOptions {
  /** The name, typed without `--name`. */
  readonly called?: string;
  readonly user?: string;
}

export function register(command: Command, runner: Runner, run = runKeysCreate): void {
  addKeyOptions(
    command
      .description(
        'Makes an API key for a skinsmith service and prints it: this once, it cannot be shown again.',
      )
      .argument('[name]', 'what to call the key')
      .option('--user <user>', 'whose key it is, made when new (operator only; default: yourself)'),
  ).action(
    async (called: string | undefined, typed: Omit<KeysCreateOptions, 'called'>) =>
      await runner(async (deps) => await run({ ...typed, ...(called !== undefined && { called }) }, deps)),
  );
}

export async function runKeysCreate(options: KeysCreateOptions, deps: Deps): Promise<number> {
  const { called: name, user } = options;
  if (name !== undefined && options.name !== undefined) {
    throw usageError('two_names', 'Give the name once: as it is, or with --name.');
  }
  const wish = {
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    ...keyChange(options),
  };
  const key = await withAccount(deps, (account) => account.createKey(wish, { signal: deps.signal }));
  const { io, flags } = deps;
  if (flags.json) io.out.write(jsonDocument(key));
  else if (io.out.isTTY) io.out.write(`${clean(key.secret)}\n`);
  else io.out.write(tabRows([[key.secret, key.id, key.name, key.user]]));
  await deps.talk.note(
    `This is the only time the key is shown. It belongs to ${key.user}; revoke it with: skinsmith keys revoke ${key.id}`,
  );
  return exitStatus('done');
}
