import type { Command } from 'commander';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { connectTelling } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import { ago, alignedRows, tabRows } from '../../output/text.ts';
import type { Runner } from '../../runner.ts';
import { masked } from '../config/list.ts';

export interface KeysListOptions {
  readonly user?: string;
}

export function register(command: Command, runner: Runner, run = runKeysList): void {
  command
    .description('Lists API keys of a skinsmith service, by their last four characters.')
    .option('--user <user>', 'whose keys (operator only; default: your own)')
    .action(async (typed: KeysListOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runKeysList({ user }: KeysListOptions, deps: Deps): Promise<number> {
  const { client } = await connectTelling(await deps.settings(), deps);
  const keys = await client.listKeys(user, { signal: deps.signal });
  const { io, flags, clock } = deps;
  if (flags.json) io.out.write(jsonDocument(keys));
  else if (keys.length === 0) await deps.talk.note('No keys.');
  else if (io.out.isTTY) {
    const now = clock.now();
    const rows = keys.map((key) => [
      key.id,
      masked(key.last4),
      key.user,
      ago(key.createdAt, now),
      ago(key.lastUsedAt, now) || 'never',
      key.name,
    ]);
    io.out.write(alignedRows(['ID', 'KEY', 'USER', 'CREATED', 'LAST USED', 'NAME'], rows, io.out.columns));
  } else {
    io.out.write(
      tabRows(
        keys.map((key) => [key.id, masked(key.last4), key.user, key.createdAt, key.lastUsedAt, key.name]),
      ),
    );
  }
  return exitStatus('done');
}
