import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { connectTelling } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import { tabRows } from '../../output/text.ts';
import type { Runner } from '../../runner.ts';

export interface KeysCreateOptions {
  readonly name?: string;
  readonly user?: string;
}

export function register(command: Command, runner: Runner, run = runKeysCreate): void {
  command
    .description(
      'Makes an API key for a skinsmith service and prints it: this once, it cannot be shown again.',
    )
    .argument('[name]', 'what to call the key')
    .option('--user <user>', 'whose key it is, made when new (operator only; default: yourself)')
    .action(
      async (name: string | undefined, typed: { user?: string }) =>
        await runner(async (deps) => await run({ ...typed, ...(name !== undefined && { name }) }, deps)),
    );
}

export async function runKeysCreate(options: KeysCreateOptions, deps: Deps): Promise<number> {
  const { client } = await connectTelling(await deps.settings(), deps);
  const key = await client.createKey(options, { signal: deps.signal });
  const { io, flags } = deps;
  if (flags.json) io.out.write(jsonDocument(key));
  else if (io.out.isTTY) io.out.write(`${key.secret}\n`);
  else io.out.write(tabRows([[key.secret, key.id, key.name, key.user]]));
  await deps.talk.note(
    `This is the only time the key is shown. It belongs to ${key.user}; revoke it with: skinsmith keys revoke ${key.id}`,
  );
  return exitStatus('done');
}
