/** One measured claim. */
export interface Row {
  /** As in the list of claims: P1, P2, … */
  readonly id: string;
  readonly work: string;
  readonly against: string;
  /** Medians, milliseconds. */
  readonly measured: number;
  readonly baseline: number;
  readonly ratio: number;
  /** The ratio it must not pass. */
  readonly limit: number;
}

export function renderTable(rows: readonly Row[]): string {
  const header = ['#', 'work', 'against', 'ms', 'baseline ms', 'ratio', 'limit', ''];
  const lines = rows.map((row) => [
    row.id,
    row.work,
    row.against,
    row.measured.toFixed(1),
    row.baseline.toFixed(1),
    row.ratio.toFixed(2),
    `≤ ${row.limit}`,
    row.ratio <= row.limit ? 'ok' : 'OVER',
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const render = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[header, ...lines].map(render).join('\n')}\n`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
