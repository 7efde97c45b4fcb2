import { type Command, Option } from 'commander';
import type { SkinClient, SkinListItem, SkinVisibility } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { whereOffered } from '../../connection/where-offered.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { addLimitOptions, cutNote, limitOf, type TypedLimit } from '../../options/limit-options.ts';
import { jsonDocument } from '../../text/json.ts';
import { count } from '../../text/quantities.ts';
import { SKIN_LIST_OUTPUT, skinListView, skinRows } from './skin-rows.ts';

const LISTING = { what: 'skins', usual: 30 };
const VISIBILITIES = ['public', 'unlisted', 'private'];
const PAGE_SIZE = 128;
/** Maximum number of pages without a skin that a search reads before it stops, unless all are wanted. */
const MAX_EMPTY = 200;
const OWN_SKINS = { what: 'list your skins', about: ['user_not_found'] };

export interface SkinsListOptions extends TypedLimit {
  readonly public?: boolean;
  readonly filter?: string;
  readonly variant?: 'classic' | 'slim';
  readonly visibility?: SkinVisibility;
  readonly sort?: 'newest' | 'popular';
}

export const skinsList = {
  examples: [
    ['List your skins', 'skinsmith skins list'],
    [
      'Find the most viewed public skins with a word in their names',
      'skinsmith skins list --public --filter smith --sort popular',
    ],
    ['Count all of your private skins', 'skinsmith skins list --visibility private --all | wc -l'],
  ],
  output: [SKIN_LIST_OUTPUT],
  register(command: Command, runner: Runner, run = runSkinsList): void {
    command
      .description('List your skins, newest first.\n' + 'With --public, lists the public skins of all users.')
      .option('--public', 'list the public skins of all users')
      .option('--filter <text>', 'list only skins whose names contain all of these words')
      .addOption(
        new Option('--variant <variant>', 'list only skins with this arm variant').choices([
          'classic',
          'slim',
        ]),
      )
      .addOption(
        new Option('--visibility <visibility>', 'list only your skins with this visibility')
          .choices(VISIBILITIES)
          .conflicts('public'),
      )
      .addOption(
        new Option('--sort <order>', 'order; popular puts the most viewed first').choices([
          'newest',
          'popular',
        ]),
      );
    addLimitOptions(command, LISTING).action(
      async (typed: SkinsListOptions) => await runner(async (context) => await run(typed, context)),
    );
  },
} satisfies CommandModule;

export async function runSkinsList(options: SkinsListOptions, context: CommandContext): Promise<number> {
  const { client } = await connectWithProgress(await context.settings(), context);
  const { skins, isCut, total } = await readPages(client, options, {
    limit: limitOf(options, LISTING),
    signal: context.signal,
  });
  await context.seenNames.add(
    'skins',
    skins.map(({ uuid, name }) => ({ value: uuid, about: name })),
  );
  if (context.flags.json) context.io.out.write(jsonDocument(skins.map(skinListView)));
  else if (skins.length === 0 && !isCut) await context.messages.note('No skins.');
  else context.io.out.write(skinRows(skins, context.io.out));
  if (isCut) context.messages.say(leftOut(skins.length, total));
  return exitStatus('done');
}

function leftOut(shown: number, total: number | undefined): string {
  if (shown === 0) return 'No skin was found among those searched. To search all of them: --all';
  return cutNote(shown, LISTING, total === undefined ? undefined : count(total));
}

async function readPages(
  client: SkinClient,
  { limit: _, all = false, public: isPublic, ...wanted }: SkinsListOptions,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<{ skins: SkinListItem[]; isCut: boolean; total: number | undefined }> {
  const skins: SkinListItem[] = [];
  let after: string | undefined;
  let total: number | undefined;
  let empty = 0;
  do {
    const query = { ...wanted, after, size: Math.min(PAGE_SIZE, limit - skins.length) };
    const page = isPublic
      ? await client.publicSkins(query, { signal })
      : await whereOffered(OWN_SKINS, async () => await client.ownSkins(query, { signal }));
    skins.push(...page.skins);
    total ??= page.total;
    if (page.skins.length === 0) empty++;
    after = page.next;
  } while (after !== undefined && skins.length < limit && (all || empty < MAX_EMPTY));
  return { skins: skins.slice(0, limit), isCut: after !== undefined, total };
}
