/**
 * Measures what the design claims (`npm run bench`): one table, each row a comparison of medians taken in turns
 * in one run, with the limit it is held against. Exit status 1 when a row is over its limit. With names of rows
 * (`npm run bench -- P5 P6`) only those and what is measured together with them.
 */
import { againRows } from './again.ts';
import { batchRows } from './batch.ts';
import { embeddedRows } from './embedded.ts';
import { loneRows } from './lone.ts';
import { memoryRows } from './memory.ts';
import { millionRows } from './million.ts';
import { requestRows } from './requests.ts';
import { startUpRows } from './start-up.ts';
import { isOver, type Row, renderTable } from './table.ts';

/** Those that make and delete the most files come last: see `Machine.reset`. */
const MEASUREMENTS: readonly { readonly ids: readonly string[]; readonly rows: () => Promise<Row[]> }[] = [
  { ids: ['P1', 'P2'], rows: startUpRows },
  { ids: ['P5'], rows: embeddedRows },
  { ids: ['P3', 'P4'], rows: batchRows },
  { ids: ['P10'], rows: loneRows },
  { ids: ['P8'], rows: requestRows },
  { ids: ['P6'], rows: againRows },
  { ids: ['P9'], rows: millionRows },
  { ids: ['P7'], rows: memoryRows },
];

// An interrupted run ends as others do, so that nothing is left behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const wanted = process.argv.slice(2).map((id) => id.toUpperCase());
const unknown = wanted.filter((id) => !MEASUREMENTS.some(({ ids }) => ids.includes(id)));
if (unknown.length > 0) throw new Error(`Nothing measures ${unknown.join(', ')}.`);
const rows: Row[] = [];
for (const { ids, rows: measure } of MEASUREMENTS) {
  if (wanted.length === 0 || wanted.some((id) => ids.includes(id))) rows.push(...(await measure()));
}
const number = ({ id }: Row) => Number(id.slice(1));
rows.sort((a, b) => number(a) - number(b));

process.stdout.write(renderTable(rows));
if (rows.some(isOver)) process.exitCode = 1;
