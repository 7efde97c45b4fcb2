import type { Command } from 'commander';
import type { BulkEdited, SkinClient } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { inBulk } from '../../connection/in-bulk.ts';
import { skinsText, verifyUuids } from '../../connection/skin-uuids.ts';
import { whereOffered } from '../../connection/where-offered.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { reportOf } from '../../errors/error-report.ts';
import { exitStatus } from '../../errors/exit.ts';
import { type Columns, columnRows, type Fields } from '../../output/described.ts';
import { colorsFor } from '../../terminal/colors.ts';
import { confirm } from '../../terminal/confirm.ts';
import { jsonDocument } from '../../text/json.ts';
import { clean } from '../../text/text.ts';

export interface SkinsDeleteOptions {
  readonly uuids: readonly string[];
  /** Skip the confirmation. */
  readonly yes?: boolean;
}

interface DeletedView {
  readonly uuid: string;
  readonly deleted: true;
}

const COLUMNS = { uuid: ({ uuid }) => uuid } satisfies Columns<Pick<DeletedView, 'uuid'>>;

const FIELDS: Fields<DeletedView> = { uuid: 'UUID of the skin', deleted: 'always true' };
export const skinsDelete = {
  examples: [
    ['Delete a skin without being asked', 'skinsmith skins delete UUID --yes'],
    [
      'Delete all your skins with draft in their names',
      'skinsmith skins list --filter draft --all | cut -f1 | xargs -r skinsmith skins delete --yes',
    ],
  ],
  output: [{ columns: COLUMNS, json: { shape: 'list', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runSkinsDelete): void {
    command
      .description(
        'Delete your skins from the service for good.\n' +
          'Asks for confirmation first; without a terminal, --yes is required. Prints the UUIDs of the ' +
          'deleted skins.',
      )
      .argument('<uuid...>', 'UUIDs of skins')
      .option('-y, --yes', 'do not ask for confirmation')
      .action(
        async (uuids: string[], typed: Omit<SkinsDeleteOptions, 'uuids'>) =>
          await runner(async (context) => await run({ ...typed, uuids }, context)),
      );
  },
} satisfies CommandModule;

export async function runSkinsDelete(
  { uuids, yes }: SkinsDeleteOptions,
  context: CommandContext,
): Promise<number> {
  verifyUuids(uuids, context);
  if (!yes && !(await confirm(`Delete ${skinsText(uuids)}? This cannot be undone.`, context))) {
    context.messages.say('Nothing was deleted.');
    return exitStatus('failed');
  }
  const { client } = await connectWithProgress(await context.settings(), context);
  const { good } = await colorsFor(context.io.out);
  const deleted: string[] = [];
  const tell = (some: readonly string[]) => {
    deleted.push(...some);
    if (context.flags.json) return;
    const { isTTY } = context.io.out;
    const rows = some.map((uuid) =>
      isTTY ? `${good('✔')} Deleted ${clean(uuid)}\n` : columnRows(COLUMNS, [{ uuid }]),
    );
    context.io.out.write(rows.join(''));
  };
  const areAllThere = await deleteAll(uuids, { client, context, tell });
  const views = deleted.map((uuid): DeletedView => ({ uuid, deleted: true }));
  if (context.flags.json) context.io.out.write(jsonDocument(views));
  return exitStatus(areAllThere ? 'done' : 'failed');
}

interface DeleteOptions {
  readonly client: SkinClient;
  readonly context: CommandContext;
  readonly tell: (deleted: readonly string[]) => void;
}

/** A missing skin does not stop the others from being deleted. @returns whether none was missing */
async function deleteAll(
  uuids: readonly string[],
  { client, context, tell }: DeleteOptions,
): Promise<boolean> {
  return await inBulk(uuids, context, async (some) => {
    const [only = '', ...others] = some;
    const outcome = await whereOffered({ what: 'delete skins', about: ['skin_not_found'] }, async () =>
      others.length === 0
        ? await deleteOne(only, client, context.signal)
        : await client.account.deleteSkins(some, { signal: context.signal }),
    );
    tell(outcome.done);
    return outcome;
  });
}

/** Other services too may offer to delete a single skin. */
async function deleteOne(uuid: string, client: SkinClient, signal: AbortSignal): Promise<BulkEdited> {
  try {
    await client.deleteSkin(uuid, { signal });
  } catch (error) {
    if (reportOf(error)?.code !== 'skin_not_found') throw error;
    return { done: [], missing: [uuid] };
  }
  return { done: [uuid], missing: [] };
}
