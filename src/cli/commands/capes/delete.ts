import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import { capeIn } from '../../connection/find-cape.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import type { CommandOutput, Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';

export const examples: Examples = [
  ['Delete a cape', 'skinsmith capes delete team-red'],
  ['Delete several capes', 'skinsmith capes delete winter-2026 spring-2026'],
];

interface DeletedView {
  readonly uuid: string;
  readonly deleted: true;
}

const FIELDS: Fields<DeletedView> = { uuid: 'UUID of the cape', deleted: 'always true' };

export const output: readonly CommandOutput[] = [{ json: { shape: 'list', fields: FIELDS } }];

export function register(command: Command, runner: Runner, run = runCapesDelete): void {
  command
    .description(
      'Delete capes from a skinsmith service (operators only).\n' +
        'Skins that were made with a deleted cape keep it.',
    )
    .argument('<cape...>', 'UUIDs or aliases of capes')
    .action(async (names: string[]) => await runner(async (context) => await run(names, context)));
}

export async function runCapesDelete(names: readonly string[], context: CommandContext): Promise<number> {
  const { signal, messages, seenNames, flags, io } = context;
  const deleted = await withAccount(context, async (account) => {
    const all = await account.capes({ signal });
    const capes = names.map((name) => capeIn(all, name, context)); // resolve every name before deleting any cape
    for (const { uuid, alias } of capes) {
      await account.removeCape(uuid, { signal });
      await seenNames.remove('capes', alias);
      messages.say(`Deleted cape ${alias}.`);
    }
    return capes;
  });
  const views = deleted.map(({ uuid }): DeletedView => ({ uuid, deleted: true }));
  if (flags.json) io.out.write(jsonDocument(views));
  return exitStatus('done');
}
