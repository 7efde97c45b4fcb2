/** One measured claim. */
export interface Row {
  /** ID in the list of claims: P1, P2, … */
  readonly id: string;
  readonly work: string;
  readonly against: string;
  readonly unit: Unit;
  /** Medians, in the row's unit. */
  readonly measured: number;
  readonly baseline: number;
  readonly comparison: Comparison;
  /** The limit of the comparison; for a difference, in the row's unit. */
  readonly limit: number;
}

type Figures = Pick<Row, 'measured' | 'limit'> & { readonly unit?: Unit };

/** How many times as much it is as what it is held against. */
export function ratio(
  id: string,
  [work, against]: readonly [work: string, against: string],
  figures: Figures & Pick<Row, 'baseline'>,
): Row {
  return { id, work, against, unit: 'ms', comparison: 'ratio', ...figures };
}

/** How much more it is than what it is held against, or all of it. */
export function difference(
  id: string,
  [work, against = 'nothing']: readonly [work: string, against?: string],
  figures: Figures & Partial<Pick<Row, 'baseline'>>,
): Row {
  return { id, work, against, unit: 'ms', baseline: 0, comparison: 'difference', ...figures };
}

/** Medians of measurements that take turns, so that a slow moment of the machine affects all of them. */
export async function inTurns<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, (round: number) => Promise<number> | number>>,
  warmUp = 0,
): Promise<Record<Name, number>> {
  const names = Object.keys(measurements) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round++)
    for (const name of names) {
      const took = await measurements[name](round);
      if (round >= 0) times[name].push(took);
    }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<Name, number>;
}

type Unit = 'ms' | 'MB' | 'KB' | 'requests';
type Comparison = 'ratio' | 'difference';

const SHOWN = {
  ms: (value) =>
    value < 1_000 ? `${value.toFixed(value < 1 ? 3 : 1)} ms` : `${(value / 1_000).toFixed(2)} s`,
  MB: (value) => `${value.toFixed(0)} MB`,
  KB: (value) => `${value.toFixed(1)} KB`,
  requests: (value) => value.toFixed(2),
} satisfies Record<Unit, (value: number) => string>;

const COMPARED = {
  ratio: {
    of: (measured, baseline) => measured / baseline,
    shown: (ratio) => ratio.toFixed(2),
  },
  difference: {
    of: (measured, baseline) => measured - baseline,
    shown: (difference, unit) => `${difference < 0 ? '-' : '+'}${SHOWN[unit](Math.abs(difference))}`,
  },
} satisfies Record<
  Comparison,
  { of: (measured: number, baseline: number) => number; shown: (value: number, unit: Unit) => string }
>;

/** Also true when the result is not a finite number. */
export function isOver({ measured, baseline, comparison, limit }: Row): boolean {
  const result = COMPARED[comparison].of(measured, baseline);
  return !Number.isFinite(result) || result > limit;
}

export function renderTable(rows: readonly Row[]): string {
  const header = ['#', 'work', 'against', 'measured', 'baseline', 'result', 'limit', ''];
  const lines = rows.map(renderRow);
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

function renderRow(row: Row): readonly string[] {
  const { id, work, against, unit, measured, baseline, comparison, limit } = row;
  const { of, shown } = COMPARED[comparison];
  return [
    id,
    work,
    against,
    SHOWN[unit](measured),
    SHOWN[unit](baseline),
    shown(of(measured, baseline), unit),
    `≤ ${shown(limit, unit)}`,
    isOver(row) ? 'OVER' : 'ok',
  ];
}

/** The least value that this share of all, in percent, does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
