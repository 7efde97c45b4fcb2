/**
 * Measures what the design claims (`npm run bench`): one table, each row a ratio of medians taken in turns
 * in one run, with the limit it is held against. Exit status 1 when a row is over its limit.
 */
import { startUpRows } from './start-up.ts';
import { type Row, renderTable } from './table.ts';

const rows: Row[] = [...(await startUpRows())];

process.stdout.write(renderTable(rows));
if (rows.some((row) => row.ratio > row.limit)) process.exitCode = 1;
