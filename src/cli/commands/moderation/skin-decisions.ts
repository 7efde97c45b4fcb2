import type { Command } from 'commander';
import type { ModeratedSkin } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import { verifyUuids } from '../../connection/skin-uuids.ts';
import type { CommandContext } from '../../context/context.ts';
import { exitStatus } from '../../errors/exit.ts';
import { type Columns, type CommandOutput, columnRows, type Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';

/** Why an operator does something. */
export interface NoteOption {
  readonly note?: string;
}

/** Adds the arguments that all decisions about skins have. */
export function describeDecision(command: Command): Command {
  return command.argument('<uuid...>', 'UUIDs of skins').option('--note <text>', 'why, for the log');
}

const COLUMNS = {
  uuid: ({ uuid }) => uuid,
  visibility: ({ visibility }) => visibility,
  hidden: ({ hidden }) => (hidden ? 'hidden' : ''),
} satisfies Columns<ModeratedSkin>;

const FIELDS: Fields<ModeratedSkin> = {
  uuid: 'UUID of the skin',
  visibility: 'visibility of the skin now',
  hidden: 'whether an operator has hidden the skin',
};

export const MODERATED_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'list', fields: FIELDS } };

/** Hides skins or shows them again, and prints what they are then. */
export async function setHidden(
  uuids: readonly string[],
  decision: NoteOption & { readonly hidden: boolean },
  context: CommandContext,
): Promise<number> {
  const { signal, flags, io } = context;
  verifyUuids(uuids, context);
  const skins = await withAccount(context, async ({ moderation }) => {
    const done: ModeratedSkin[] = [];
    for (const uuid of uuids) done.push(await moderation.setHidden(uuid, decision, { signal }));
    return done;
  });
  io.out.write(flags.json ? jsonDocument(skins) : columnRows(COLUMNS, skins));
  return exitStatus('done');
}
