import { type Command, Option } from 'commander';
import type { SkinEdit, SkinVisibility } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { verifyUuids } from '../../connection/skin-uuids.ts';
import { whereOffered } from '../../connection/where-offered.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus, usageError } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { verifyName } from '../../options/skin-options.ts';
import { type CommandOutput, columnRows } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { SKIN_COLUMNS, SKIN_EDIT_OUTPUT } from './skin-rows.ts';

export interface SkinsEditOptions {
  readonly uuid: string;
  /** An empty string removes the name. */
  readonly name?: string;
  readonly visibility?: SkinVisibility;
}

export const examples: Examples = [
  ['Rename a skin', 'skinsmith skins edit UUID --name Smith'],
  ['Hide a skin from public lists', 'skinsmith skins edit UUID --visibility unlisted'],
];

export const output: readonly CommandOutput[] = [SKIN_EDIT_OUTPUT];

export function register(command: Command, runner: Runner, run = runSkinsEdit): void {
  command
    .description('Edit the name or visibility of one of your skins.')
    .argument('<uuid>', 'UUID of the skin')
    .option('--name <name>', 'new name; an empty one ("") removes the name')
    .addOption(
      new Option('--visibility <visibility>', 'who can find the skin').choices([
        'public',
        'unlisted',
        'private',
      ]),
    )
    .action(
      async (uuid: string, typed: Omit<SkinsEditOptions, 'uuid'>) =>
        await runner(async (context) => await run({ ...typed, uuid }, context)),
    );
}

export async function runSkinsEdit(
  { uuid, ...edit }: SkinsEditOptions,
  context: CommandContext,
): Promise<number> {
  verifyUuids([uuid]);
  verifyEdit(edit);
  const { client } = await connectWithProgress(await context.settings(), context);
  const skin = await whereOffered({ what: 'changing skins', about: ['skin_not_found'] }, () =>
    client.editSkin(uuid, edit, { signal: context.signal }),
  );
  if (context.flags.json) context.io.out.write(jsonDocument(skin));
  else context.io.out.write(columnRows(SKIN_COLUMNS, [skin]));
  return exitStatus('done');
}

function verifyEdit(edit: SkinEdit): void {
  if (edit.name === undefined && edit.visibility === undefined) {
    throw usageError('nothing_to_change', 'There is nothing to change: give --name or --visibility.');
  }
  if (edit.name) verifyName({ name: edit.name }, true);
}
