import type { Command } from 'commander';
import { withAccount } from '../../connection/account-manager.ts';
import { capeIn } from '../../connection/find-cape.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';

interface DeletedView {
  readonly uuid: string;
  readonly deleted: true;
}

const FIELDS: Fields<DeletedView> = { uuid: 'UUID of the cape', deleted: 'always true' };
export const capesDelete = {
  examples: [
    ['Delete a cape', 'skinsmith capes delete team-red'],
    ['Delete several capes', 'skinsmith capes delete winter-2026 spring-2026'],
  ],
  output: [{ json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runCapesDelete): void {
    command
      .description(
        'Delete capes from a skinsmith service (operators only).\n' +
          'Skins that were made with a deleted cape keep it.',
      )
      .argument('<cape...>', 'UUIDs or aliases of capes')
      .action(async (names: string[]) => await runner(async (context) => await run(names, context)));
  },
} satisfies CommandModule;

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
