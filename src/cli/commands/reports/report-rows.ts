import type { Report } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import { type Columns, type CommandOutput, columnRows, type Fields } from '../../output/described.ts';
import { jsonDocument } from '../../text/json.ts';
import { ago, alignedRows } from '../../text/text.ts';

const COLUMNS = {
  id: ({ id }) => id,
  skin: ({ skin }) => skin,
  reason: ({ reason }) => reason,
  createdAt: ({ createdAt }) => createdAt,
  closedAt: ({ closedAt }) => closedAt,
  visibility: ({ visibility }) => visibility,
  name: ({ name }) => name,
  text: ({ text }) => text,
} satisfies Columns<Report>;

const FIELDS: Fields<Report> = {
  id: 'number of the report',
  skin: 'UUID of the skin',
  name: 'name of the skin; absent: none, or nobody but its owner sees the skin',
  texture: 'hash of the texture, likewise',
  visibility: 'visibility of the skin now; absent: it is deleted',
  hidden: 'whether an operator has hidden the skin',
  reason: 'offensive, copyright, personal or other',
  text: 'what the reporter wrote',
  createdAt: 'when it was reported',
  closedAt: 'when an operator decided; absent: the report is open',
};

export const REPORT_LIST_OUTPUT: CommandOutput = {
  columns: COLUMNS,
  json: { shape: 'list', fields: FIELDS },
};

const HEADER = ['ID', 'SKIN', 'REPORTED', 'STATE', 'REASON', 'TEXT'];

/** Prints reports, for people or for programs. */
export function printReports(reports: readonly Report[], { io, clock, flags }: CommandContext): void {
  if (flags.json) io.out.write(jsonDocument(reports));
  else if (!io.out.isTTY) io.out.write(columnRows(COLUMNS, reports));
  else io.out.write(alignedRows(HEADER, reports.map(row), io.out.columns));

  function row({ id, skin, createdAt, hidden, visibility, reason, text }: Report): string[] {
    const state = hidden ? 'hidden' : (visibility ?? 'deleted');
    return [id, skin, ago(createdAt, clock.now()), state, reason, text];
  }
}
