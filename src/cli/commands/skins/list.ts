import { type Command, Option } from 'commander';
import type { SkinClient, SkinListItem, SkinVisibility } from '../../../index.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { whereOffered } from '../../connection/where-offered.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { parseLimit } from '../../options/option-values.ts';
import { type CommandOutput, columnRows } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { alignedRows } from '../../text/text.ts';
import { SKIN_COLUMNS, SKIN_LIST_OUTPUT, skinListView } from './skin-rows.ts';

const DEFAULT_LIMIT = 30;
const VISIBILITIES = ['public', 'unlisted', 'private'];
const PAGE_SIZE = 128;
/** Maximum number of pages without a skin that a search reads before it stops. */
const MOST_EMPTY = 200;
const OWN_SKINS = { what: 'lists of one’s own skins', about: ['user_not_found'] };

export interface SkinsListOptions {
  readonly public?: boolean;
  readonly filter?: string;
  readonly limit?: number;
  readonly variant?: 'classic' | 'slim';
  readonly visibility?: SkinVisibility;
  readonly sort?: 'newest' | 'popular';
}

export const examples: Examples = [
  ['List your skins', 'skinsmith skins list'],
  [
    'Find the most viewed public skins with a word in their names',
    'skinsmith skins list --public --filter smith --sort popular',
  ],
];

export const output: readonly CommandOutput[] = [SKIN_LIST_OUTPUT];

export function register(command: Command, runner: Runner, run = runSkinsList): void {
  command
    .description('List your skins, newest first.\n' + 'With --public, lists the public skins of all users.')
    .option('--public', 'list the public skins of all users')
    .option('--filter <text>', 'list only skins whose names contain all of these words')
    .addOption(
      new Option('--variant <variant>', 'list only skins with this arm variant').choices(['classic', 'slim']),
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
    )
    .option('--limit <number>', `maximum number of skins to list (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: SkinsListOptions) => await runner(async (context) => await run(typed, context)));
}

export async function runSkinsList(options: SkinsListOptions, context: CommandContext): Promise<number> {
  const { client } = await connectWithProgress(await context.settings(), context);
  const { skins, isCut, total } = await readPages(client, options, context.signal);
  await context.seenNames.add(
    'skins',
    skins.map(({ uuid, name }) => ({ value: uuid, about: name })),
  );
  if (context.flags.json) context.io.out.write(jsonDocument(skins.map(skinListView)));
  else if (skins.length === 0) await context.messages.note('No skins.');
  else if (context.io.out.isTTY) context.io.out.write(table(skins, context.io.out.columns));
  else context.io.out.write(columnRows(SKIN_COLUMNS, skins));
  if (isCut) context.messages.say(cutNote(skins.length, total));
  return exitStatus('done');
}

function cutNote(shown: number, total: number | undefined): string {
  if (total === undefined) return `Showing the newest ${shown} skins; there are more: --limit ${shown * 10}`;
  return `Showing ${shown} of ${total} skins: --limit ${total}`;
}

async function readPages(
  client: SkinClient,
  { limit = DEFAULT_LIMIT, public: isPublic, ...wanted }: SkinsListOptions,
  signal: AbortSignal,
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
  } while (after !== undefined && skins.length < limit && empty < MOST_EMPTY);
  return { skins: skins.slice(0, limit), isCut: skins.length >= limit && after !== undefined, total };
}

function table(skins: readonly SkinListItem[], width: number): string {
  const rows = skins.map(({ uuid, variant, visibility, name }) => [uuid, variant, visibility, name]);
  return alignedRows(['UUID', 'VARIANT', 'VISIBILITY', 'NAME'], rows, width);
}
