/** Letters that a mistyped name may have wrong. */
export const MAX_SLIPS = 2;

/** The name that a mistyped one most likely stands for; undefined if none is similar. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const slips = (name: string) => slipsBetween(wanted, name);
  const [near] = names.toSorted((a, b) => slips(a) - slips(b));
  return near !== undefined && slips(near) <= MAX_SLIPS ? near : undefined;
}

/** Case and the extension do not count as typos. */
export function slipsBetween(wanted: string, name: string): number {
  const [a, b] = [bare(wanted), bare(name)];
  return Math.abs(a.length - b.length) > MAX_SLIPS ? Number.POSITIVE_INFINITY : editDistance(a, b);
}

function bare(name: string): string {
  return name
    .replace(/[/\\]$/, '')
    .replace(/\.png$/i, '')
    .toLowerCase();
}

/** The number of letters omitted, added, changed or swapped with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        last[column]! + 1,
        line[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped && row > 1 && column > 1 ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, line];
  }
  return last[b.length]!;
}
