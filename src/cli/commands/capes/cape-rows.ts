import type { Cape } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import { alignedRows, tabRows } from '../../terminal/text.ts';
import { jsonDocument } from '../../text/json.ts';

const HEADER = ['UUID', 'SUPPORT', 'ALIAS'];

/** Prints capes as rows, for people or for programs. */
export function capeRows(capes: readonly Cape[], { io }: Pick<CommandContext, 'io'>): string {
  if (!io.out.isTTY) {
    return tabRows(capes.map((cape) => [cape.uuid, supportOf(cape), cape.alias, cape.hash, cape.url]));
  }
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
