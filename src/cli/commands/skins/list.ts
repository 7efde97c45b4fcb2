import type { Command } from 'commander';
import type { SkinClient, SkinListItem } from '../../../index.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { whereOffered } from '../../not-offered.ts';
import { connectTelling } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import { alignedRows, tabRows } from '../../output/text.ts';
import type { Runner } from '../../runner.ts';
import { parseLimit } from '../jobs.ts';

const DEFAULT_LIMIT = 30;
const PAGE_SIZE = 128;
/** Pages without a skin that are read on from: a search may have to go far, but not for ever. */
const MOST_EMPTY = 200;
const OWN_SKINS = { what: 'lists of one’s own skins', about: ['user_not_found'] };

export interface SkinsListOptions {
  readonly public?: boolean;
  readonly filter?: string;
  readonly limit?: number;
}

export function register(command: Command, runner: Runner, run = runSkinsList): void {
  command
    .description(
      'Lists your own skins of every visibility, newest first; with --public everybody’s public ones.',
    )
    .option('--public', 'public skins of everybody')
    .option('--filter <text>', 'only skins with these words in their names')
    .option('--limit <number>', `how many at the most (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: SkinsListOptions) => await runner(async (deps) => await run(typed, deps)));
}

export async function runSkinsList(options: SkinsListOptions, deps: Deps): Promise<number> {
  const { client } = await connectTelling(await deps.settings(), deps);
  const skins = await readPages(client, options, deps.signal);
  if (deps.flags.json) deps.io.out.write(jsonDocument(skins.map(skinListView)));
  else if (skins.length === 0) await deps.talk.note('No skins.');
  else if (deps.io.out.isTTY) deps.io.out.write(table(skins, deps.io.out.columns));
  else deps.io.out.write(tabRows(skins.map(skinCells)));
  return exitStatus('done');
}

async function readPages(
  client: SkinClient,
  { limit = DEFAULT_LIMIT, filter, ...options }: SkinsListOptions,
  signal: AbortSignal,
): Promise<SkinListItem[]> {
  const skins: SkinListItem[] = [];
  let after: string | undefined;
  let empty = 0;
  do {
    const query = { after, filter, size: Math.min(PAGE_SIZE, limit - skins.length) };
    const page = options.public
      ? await client.publicSkins(query, { signal })
      : await whereOffered(OWN_SKINS, async () => await client.ownSkins(query, { signal }));
    skins.push(...page.skins);
    if (page.skins.length === 0) empty++;
    after = page.next;
  } while (after !== undefined && skins.length < limit && empty < MOST_EMPTY);
  return skins.slice(0, limit);
}

/** The skin as on the wire. */
function skinListView({ uuid, name, visibility, variant, views, texture }: SkinListItem) {
  return { uuid, name, visibility, variant, views, texture };
}

/** A row of the list. */
export function skinCells(
  skin: Pick<SkinListItem, 'uuid' | 'variant' | 'visibility' | 'name'>,
): (string | undefined)[] {
  return [skin.uuid, skin.variant, skin.visibility, skin.name];
}

function table(skins: readonly SkinListItem[], width: number): string {
  return alignedRows(['UUID', 'VARIANT', 'VISIBILITY', 'NAME'], skins.map(skinCells), width);
}
