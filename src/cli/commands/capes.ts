import { basename, extname } from 'node:path';
import { Option } from 'commander';
import type { Cape, CapeChange } from '../../protocol/cape.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import type { SeenName } from '../history.ts';
import { capeIn, eachOf, oneOf, verifyChange, withAccount } from '../nouns.ts';
import { doneViews, fieldColumns, printRows, type Table, tableOutput } from '../output/described.ts';
import { readBounded } from '../terminal/read-input.ts';

const TABLE: Table<Cape, ReturnType<typeof capeView>> = {
  columns: fieldColumns<Cape>('uuid', { support: supportOf }, 'alias', 'hash', 'url'),
  fields: {
    uuid: 'UUID of the cape, with dashes',
    alias: 'name of the cape',
    hash: 'hash of the texture',
    url: 'URL of the texture',
    support: 'public, or none if nobody can use it yet',
  },
  shown: { UUID: 'uuid', SUPPORT: supportOf, ALIAS: 'alias' },
  view: capeView,
};

/** The cape as the API returns it, where every service says in the same field who may use it. */
function capeView({ supported, ...cape }: Cape) {
  return { ...cape, support: supportOf({ ...cape, supported }) };
}

/** The word that shells complete: the alias, if the cape has one. */
function seenCape({ alias, uuid }: Cape): SeenName {
  return { value: alias || uuid, about: uuid };
}

/** Older services use another field or none; without one, every listed cape is usable. */
function supportOf({ support, supported = true }: Cape): string {
  return support ?? (supported ? 'public' : 'none');
}

export const capesList = {
  description: 'List the capes that generate --cape can use.',
  examples: {
    'List capes': 'skinsmith capes list',
    'List hidden capes as well': 'skinsmith capes list --all',
  },
  output: [tableOutput('list', TABLE)],
  declare: (command) =>
    command.option('--all', 'list hidden capes of a skinsmith service as well (operators only)'),
  // Everyone may read the public ones, also of services without accounts.
  async run({ all = false }: { readonly all?: boolean }, context: CommandContext): Promise<void> {
    const capes = all
      ? await withAccount(context, (account, call) => account.capes(call))
      : await readPublic(context);
    await context.seenNames.add('capes', capes.map(seenCape));
    await printRows(capes, TABLE, context, 'No capes.');
  },
} satisfies CommandModule;

async function readPublic(context: CommandContext): Promise<readonly Cape[]> {
  const { client } = await connectWithProgress(await context.settings(), context);
  return await client.capes({ signal: context.signal });
}

export const capesCreate = {
  description: 'Add a cape to a skinsmith service, for use with generate --cape (operators only).',
  examples: {
    'Add a cape that is named after its file': 'skinsmith capes create team.png',
    'Add a cape that nobody can use yet': 'skinsmith capes create winter.png --alias winter-2026 --hidden',
  },
  declare: (command) =>
    command
      .argument('<file>', 'PNG file of 64×32 pixels')
      .option('--alias <alias>', 'name of the cape (default: the file name)')
      .option('--hidden', 'do not let anyone use the cape yet'),
  ...oneOf(
    TABLE,
    async (_, file: string, typed: { readonly alias?: string; readonly hidden?: boolean }) => {
      const png = await readBounded(file);
      const { alias = basename(file, extname(file)), hidden } = typed;
      const support = hidden ? 'none' : 'public';
      return (account, call) => account.addCape(png, { alias, support }, call);
    },
    { seen: ['capes', seenCape] },
  ),
} satisfies CommandModule;

export const capesEdit = {
  description:
    'Rename, hide or show a cape of a skinsmith service (operators only).\n' +
    'Skins that were made with a hidden cape keep it.',
  examples: {
    'Let everyone use a hidden cape': 'skinsmith capes edit winter-2026 --show',
    'Rename a cape': 'skinsmith capes edit team --alias team-red',
  },
  declare: (command) =>
    command
      .argument('<cape>', 'UUID or alias of the cape')
      .option('--alias <alias>', 'new name of the cape')
      .option('--hide', 'hide the cape, so that nobody can use it')
      .addOption(new Option('--show', 'let everyone use the cape again').conflicts('hide')),
  ...oneOf(TABLE, (context, name: string, typed: { alias?: string; hide?: boolean; show?: boolean }) => {
    const { alias, hide, show } = typed;
    const support = hide ? 'none' : show ? 'public' : undefined;
    const change: CapeChange = { ...(alias !== undefined && { alias }), ...(support && { support }) };
    verifyChange(change, 'capes edit');
    return async (account, call) => {
      const { uuid } = capeIn(await account.capes(call), name, context);
      return await account.changeCape(uuid, change, call);
    };
  }),
} satisfies CommandModule;

export const capesDelete = {
  description:
    'Delete capes from a skinsmith service (operators only).\n' +
    'Skins that were made with a deleted cape keep it.',
  examples: {
    'Delete a cape': 'skinsmith capes delete team-red',
    'Delete several capes': 'skinsmith capes delete winter-2026 spring-2026',
  },
  ...eachOf<Cape>(doneViews('uuid', 'UUID of the cape', 'deleted'), {
    declare: (command) => command.argument('<cape...>', 'UUIDs or aliases of capes'),
    async find(names, { account, call, context }) {
      const all = await account.capes(call);
      return names.map((name) => capeIn(all, name, context));
    },
    async act({ uuid, alias }, { account, call, context }) {
      await account.deleteCape(uuid, call);
      await context.seenNames.remove('capes', alias);
      return [uuid, `Deleted cape ${alias}.`];
    },
  }),
} satisfies CommandModule;
