import { readdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** Maximum entries of a folder to search. */
const MOST_ENTRIES = 10_000;
/** Letters of a name, beyond the first two, per allowed typo. */
const LETTERS_A_SLIP = 4;
const MOST_SLIPS = 2;

/**
 * The folder (with a trailing slash) or PNG file whose name is similar to a path that does not exist, written
 * in the same form as that path. Undefined if there is none.
 */
export function similarName(text: string, homes: readonly string[]): string | undefined {
  const wanted = basename(text);
  if (wanted === '') return undefined;
  const most = Math.min(MOST_SLIPS, Math.ceil((wanted.length - 2) / LETTERS_A_SLIP));
  const near = homes
    .flatMap((home) => entriesOf(dirname(resolve(home, text))))
    .map((name) => ({ name, slips: slipsBetween(wanted, name) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips)[0];
  const found = near && text.replace(/[^/\\]*[/\\]*$/, '') + near.name;
  return found?.normalize() === text.normalize() ? undefined : found; // a name that Node cannot write looks the same
}

/** The name that a mistyped one most likely stands for; undefined if none is similar. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const slips = (name: string) => slipsBetween(wanted, name);
  const [near] = names.toSorted((a, b) => slips(a) - slips(b));
  return near !== undefined && slips(near) <= MOST_SLIPS ? near : undefined;
}

/** Folders and PNG files: nothing else is a source. */
function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, MOST_ENTRIES);
    return entries.flatMap((entry) => {
      if (entry.isDirectory()) return [`${entry.name}/`];
      return /\.png$/i.test(entry.name) ? [entry.name] : [];
    });
  } catch {
    return []; // a folder that cannot be read has no neighbours to offer
  }
}

/** Case and the extension do not count as typos. */
function slipsBetween(wanted: string, name: string): number {
  const [a, b] = [bare(wanted), bare(name)];
  return Math.abs(a.length - b.length) > MOST_SLIPS ? Number.POSITIVE_INFINITY : editDistance(a, b);
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
