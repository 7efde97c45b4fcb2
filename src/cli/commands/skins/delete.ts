import type { Command } from 'commander';
import type { SkinClient } from '../../../index.ts';
import { confirm } from '../../confirm.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { whereOffered } from '../../not-offered.ts';
import { connectTelling } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import { tabRows } from '../../output/text.ts';
import type { Runner } from '../../runner.ts';
import { tellable } from '../../told-error.ts';
import { verifyUuids } from './uuids.ts';

export interface SkinsDeleteOptions {
  readonly uuids: readonly string[];
  /** Do not ask. */
  readonly yes?: boolean;
}

export function register(command: Command, runner: Runner, run = runSkinsDelete): void {
  command
    .description(
      'Deletes skins of yours from the service, for good, and prints their UUIDs. Asks first; where there is ' +
        'nobody to ask, --yes is needed.',
    )
    .argument('<uuid...>', 'UUIDs of skins')
    .option('-y, --yes', 'do not ask')
    .action(
      async (uuids: string[], typed: Omit<SkinsDeleteOptions, 'uuids'>) =>
        await runner(async (deps) => await run({ ...typed, uuids }, deps)),
    );
}

export async function runSkinsDelete({ uuids, yes }: SkinsDeleteOptions, deps: Deps): Promise<number> {
  verifyUuids(uuids);
  const what = uuids.length === 1 ? `the skin ${uuids[0]}` : `${uuids.length} skins`;
  if (!yes && !(await confirm(`Delete ${what}? This cannot be undone.`, deps))) {
    deps.talk.say('Nothing was deleted.');
    return exitStatus('failed');
  }
  const { client } = await connectTelling(await deps.settings(), deps);
  const deleted: string[] = [];
  for (const uuid of uuids) if (await deleteOne(uuid, client, deps)) deleted.push(uuid);
  if (deps.flags.json) deps.io.out.write(jsonDocument(deleted.map((uuid) => ({ uuid, deleted: true }))));
  return exitStatus(deleted.length === uuids.length ? 'done' : 'failed');
}

/** One that is not there (any more) does not keep the others from going. */
async function deleteOne(
  uuid: string,
  client: SkinClient,
  { talk, flags, io, signal }: Deps,
): Promise<boolean> {
  try {
    await whereOffered({ what: 'deleting skins', about: ['skin_not_found'] }, () =>
      client.deleteSkin(uuid, { signal }),
    );
  } catch (error) {
    const told = tellable(error);
    if (told?.code !== 'skin_not_found') throw error;
    await talk.failure({ ...told, message: `${uuid}: ${told.message}` });
    return false;
  }
  if (!flags.json) io.out.write(tabRows([[uuid]]));
  return true;
}
