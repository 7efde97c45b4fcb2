import { type Command, Option } from 'commander';
import { count } from '../text/quantities.ts';
import { parseLimit } from './option-values.ts';

export interface TypedLimit {
  readonly limit?: number;
  readonly all?: boolean;
}

/** What a list shows, in the plural, and how many of it unless the user says otherwise. */
export interface Listing {
  readonly what: string;
  readonly usual: number;
  /** Description of `--all`. */
  readonly all?: string;
}

export function addLimitOptions(
  command: Command,
  { what, usual, all = `list all ${what}` }: Listing,
): Command {
  return command
    .option('--limit <number>', `maximum number of ${what} to list (default: ${usual})`, parseLimit)
    .addOption(new Option('--all', all).conflicts('limit'));
}

export function limitOf({ limit, all = false }: TypedLimit, { usual }: Listing): number {
  return all ? Number.POSITIVE_INFINITY : (limit ?? usual);
}

/** Says that a list is not complete; `total` is how many there are, as far as that is known. */
export function cutNote(shown: number, { what }: Listing, total?: string): string {
  const some = total === undefined ? `the first ${count(shown)}` : `${count(shown)} of ${total}`;
  return `Showing ${some} ${what}. To list all of them: --all`;
}
