import type { Cape } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import {
  type Columns,
  type CommandOutput,
  columnRows,
  deprecated,
  type Fields,
} from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { alignedRows } from '../../text/text.ts';

const COLUMNS = {
  uuid: ({ uuid }) => uuid,
  support: supportOf,
  alias: ({ alias }) => alias,
  hash: ({ hash }) => hash,
  url: ({ url }) => url,
} satisfies Columns<Cape>;

const FIELDS: Fields<Cape> = {
  uuid: 'UUID of the cape, with dashes',
  alias: 'name of the cape',
  hash: 'hash of the texture',
  url: 'URL of the texture',
  support: 'public, or none if nobody may use it yet',
  supported: deprecated('support'),
};

export const CAPE_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'object', fields: FIELDS } };
export const CAPE_LIST_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'list', fields: FIELDS } };

const HEADER = ['UUID', 'SUPPORT', 'ALIAS'];

/** Prints capes as rows, for people or for programs. */
export function capeRows(capes: readonly Cape[], { io }: Pick<CommandContext, 'io'>): string {
  if (!io.out.isTTY) return columnRows(COLUMNS, capes);
  const rows = capes.map((cape) => [cape.uuid, supportOf(cape), cape.alias]);
  return alignedRows(HEADER, rows, io.out.columns);
}

/** Prints one cape. */
export function printCape(cape: Cape, context: CommandContext): void {
  context.io.out.write(context.flags.json ? jsonDocument(cape) : capeRows([cape], context));
}

/** The word that shells complete: the alias, if the cape has one. */
export function seenCape({ alias, uuid }: Cape): SeenName {
  return { value: alias || uuid, about: uuid };
}

/** Older services use another field or none; without one, every listed cape is usable. */
function supportOf({ support, supported = true }: Cape): string {
  return support ?? (supported ? 'public' : 'none');
}
