import { type Command, Option } from 'commander';
import { SKIN_NAME_RULE, type SkinClient, type SkinEdit, type SkinVisibility } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { inBulk } from '../../connection/in-bulk.ts';
import { verifyUuids } from '../../connection/skin-uuids.ts';
import { whereOffered } from '../../connection/where-offered.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import { verifyName } from '../../options/skin-options.ts';
import { jsonDocument } from '../../text/json.ts';
import { SKIN_EDIT_OUTPUT, type SkinListView, skinListView, skinRows } from './skin-rows.ts';

export interface SkinsEditOptions {
  readonly uuids: readonly string[];
  /** An empty string removes the name. */
  readonly name?: string;
  readonly visibility?: SkinVisibility;
}

export const skinsEdit = {
  examples: [
    ['Rename a skin', 'skinsmith skins edit UUID --name Smith'],
    [
      'Hide all your skins with draft in their names from public lists',
      'skinsmith skins list --filter draft --all | cut -f1 | xargs -r skinsmith skins edit --visibility unlisted',
    ],
  ],
  output: [SKIN_EDIT_OUTPUT],
  register(command: Command, runner: Runner, run = runSkinsEdit): void {
    command
      .description('Edit the name or visibility of your skins.\nSeveral skins get the same change.')
      .argument('<uuid...>', 'UUIDs of skins')
      .option('--name <name>', `new name: ${SKIN_NAME_RULE}; an empty one ("") removes the name`)
      .addOption(
        new Option('--visibility <visibility>', 'who can find the skins').choices([
          'public',
          'unlisted',
          'private',
        ]),
      )
      .action(
        async (uuids: string[], typed: Omit<SkinsEditOptions, 'uuids'>) =>
          await runner(async (context) => await run({ ...typed, uuids }, context)),
      );
  },
} satisfies CommandModule;

export async function runSkinsEdit(
  { uuids, ...edit }: SkinsEditOptions,
  context: CommandContext,
): Promise<number> {
  verifyUuids(uuids, context);
  verifyEdit(edit);
  const { client } = await connectWithProgress(await context.settings(), context);
  const [only = '', ...others] = uuids;
  return others.length === 0
    ? await editOne(only, edit, { client, context })
    : await editMany(uuids, edit, { client, context });
}

interface EditContext {
  readonly client: SkinClient;
  readonly context: CommandContext;
}

/** Other services too may offer to change a single skin. */
async function editOne(uuid: string, edit: SkinEdit, { client, context }: EditContext): Promise<number> {
  const skin = await whereOffered({ what: 'edit skins', about: ['skin_not_found'] }, () =>
    client.editSkin(uuid, edit, { signal: context.signal }),
  );
  if (context.flags.json) context.io.out.write(jsonDocument(skin));
  else context.io.out.write(skinRows([skin], context.io.out));
  return exitStatus('done');
}

async function editMany(
  uuids: readonly string[],
  edit: SkinEdit,
  { client, context }: EditContext,
): Promise<number> {
  const views: SkinListView[] = [];
  const areAllThere = await inBulk(uuids, context, async (some) => {
    const outcome = await whereOffered({ what: 'edit several skins at once', about: [] }, () =>
      client.account.editSkins(some, edit, { signal: context.signal }),
    );
    views.push(...outcome.skins.map(skinListView));
    if (!context.flags.json) context.io.out.write(skinRows(outcome.skins, context.io.out));
    return outcome;
  });
  if (context.flags.json) context.io.out.write(jsonDocument(views));
  return exitStatus(areAllThere ? 'done' : 'failed');
}

function verifyEdit(edit: SkinEdit): void {
  if (edit.name === undefined && edit.visibility === undefined) {
    throw usageError('nothing_to_change', 'Nothing to change: give --name or --visibility.');
  }
  if (edit.name) verifyName({ name: edit.name }, true);
}
