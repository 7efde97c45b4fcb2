/**
 * Measures the design's performance claims (`npm run bench`): one table, where each row compares medians of alternating
 * measurements in one run with a limit. The exit status is 1 when a row exceeds its limit. With names of rows (`npm run
 * bench -- P5 P6`), runs only those and the rows measured together with them.
 */
import { acrossNodesRows } from './across-nodes.ts';
import { againRows } from './again.ts';
import { batchRows } from './batch.ts';
import { clusterRows } from './cluster.ts';
import { doubleRows } from './double.ts';
import { embeddedRows } from './embedded.ts';
import { gatewayRows } from './gateway.ts';
import { minutelyRows, unevenRows, windowRows } from './hosted.ts';
import { loneRows } from './lone.ts';
import { memoryRows } from './memory.ts';
import { millionRows } from './million.ts';
import { newSkinRows } from './new-skins.ts';
import { packingRows } from './packing.ts';
import { pageRows } from './pages.ts';
import { pictureRows } from './pictures.ts';
import { requestRows } from './requests.ts';
import { startUpRows } from './start-up.ts';
import { isOver, type Row, renderTable } from './table.ts';
import { turnRows } from './turns.ts';
import { unreadRows } from './unread.ts';

/** The rows that create and delete the most files come last: see `Machine.reset`. */
const MEASUREMENTS: readonly { readonly ids: readonly string[]; readonly rows: () => Promise<Row[]> }[] = [
  { ids: ['P1', 'P2'], rows: startUpRows },
  { ids: ['P17'], rows: doubleRows },
  { ids: ['P5'], rows: embeddedRows },
  { ids: ['P3', 'P4'], rows: batchRows },
  { ids: ['P3b'], rows: unevenRows },
  { ids: ['P3c'], rows: minutelyRows },
  { ids: ['P3d'], rows: windowRows },
  { ids: ['P10'], rows: loneRows },
  { ids: ['P11'], rows: gatewayRows },
  { ids: ['P8'], rows: requestRows },
  { ids: ['P14'], rows: pictureRows },
  { ids: ['P18'], rows: turnRows },
  { ids: ['P19'], rows: unreadRows },
  { ids: ['P13'], rows: acrossNodesRows },
  { ids: ['P13'], rows: newSkinRows },
  { ids: ['P13'], rows: clusterRows },
  { ids: ['P16'], rows: packingRows },
  { ids: ['P6'], rows: againRows },
  { ids: ['P9'], rows: millionRows },
  { ids: ['P15'], rows: pageRows },
  { ids: ['P7'], rows: memoryRows },
];

// An interrupted run ends normally, so that nothing is left behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const wanted = process.argv.slice(2).map((id) => id.toLowerCase());
const isWanted = ({ ids }: { readonly ids: readonly string[] }, id: string) =>
  ids.some((known) => known.toLowerCase() === id);
const unknown = wanted.filter((id) => !MEASUREMENTS.some((measurement) => isWanted(measurement, id)));
if (unknown.length > 0) throw new Error(`Unknown rows: ${unknown.join(', ')}.`);
const rows: Row[] = [];
for (const measurement of MEASUREMENTS) {
  const isMeasured = wanted.length === 0 || wanted.some((id) => isWanted(measurement, id));
  if (isMeasured) rows.push(...(await measurement.rows()));
}
const number = ({ id }: Row) => Number.parseInt(id.slice(1), 10);
rows.sort((a, b) => number(a) - number(b) || a.id.localeCompare(b.id));

process.stdout.write(renderTable(rows));
if (rows.some(isOver)) process.exitCode = 1;
