import { isIP } from 'node:net';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { usageError } from '../errors/exit.ts';
import { count } from '../text/text.ts';

/** For numbers without a limit of their own. */
const LARGEST = 999_999_999;

/** Parsers of option values: each returns the parsed value or throws the error that commander prints. */

export function wholeNumber(least: number, most?: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= (most ?? LARGEST)) return number;
    const range = most === undefined ? `, ${least} or more` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

export function network(text: string, earlier: readonly string[] = []): string[] {
  if (isNetwork(text)) return [...earlier, text];
  throw new InvalidArgumentError('It must be a network like 10.0.0.0/8 or fd00::/8.');
}

export function nonEmpty(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** The same for each of several words. */
export function nonEmptyWords(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, nonEmpty(text)];
}

/** An option as it is typed, by its name in the code. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @throws CliError: commander would repeat the address that it refuses, with its password */
export function refuseCredentials(text: string): void {
  if (!text.includes('@')) return;
  const hint = 'Give only the address, like https://skins.example.org.';
  throw usageError('invalid_setting', 'It must not contain a user name or password.', hint);
}

export function httpUrl(text: string): string {
  refuseCredentials(text);
  const url = URL.parse(text);
  const isPlain = url && !url.search && !url.hash;
  if (isPlain && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be an address like https://skins.example.org.');
}

/** Names for address ranges, as Fastify defines them. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Comma-separated addresses and networks. A network of all addresses is refused: any client could then forge its own
 * address.
 */
export function proxies(text: string): string {
  const all = text.split(',').map((one) => one.trim());
  if (all.every((one) => NAMED_NETWORKS.includes(one) || (isNetwork(one) && !one.endsWith('/0'))))
    return all.join(',');
  throw new InvalidArgumentError(
    'It must be loopback, or addresses and networks like 10.0.0.1,192.168.0.0/16.',
  );
}

/** Whether it is a network such as `10.0.0.0/8`, or a single address. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const size = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isPlain = more.length === 0 && !address.includes('%') && /^\d{1,3}$/.test(bits ?? '0');
  return isPlain && Number(bits ?? 0) <= size;
}

/** Longest delay of a timer: 24 days. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNITS;

/** The milliseconds of a duration such as 90s or 1h30m; undefined if it is none. */
function durationOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,9})(ms|[smhd])/g)];
  if (text === '' || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit as Unit], 0);
}

/** A duration as a number of this unit, as which a bare number counts; undefined if it is none. */
export function durationIn(unit: Unit, text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  const ms = durationOf(text);
  return ms === undefined ? undefined : ms / UNITS[unit];
}

/** Parses a duration as a whole number of this unit, between two bounds. `example`: one with a unit. */
export function wholeDuration(unit: Unit, least: number, most: number, example: string) {
  return (text: string): number => {
    const number = durationIn(unit, text);
    if (number !== undefined && Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(
      `It must be a time like ${example}, from ${least}${unit} to ${most}${unit}.`,
    );
  };
}

/** A duration such as 90s or 1h30m, in milliseconds. */
function duration(text: string): number {
  const ms = durationOf(text) ?? 0;
  if (ms >= 1 && ms <= LONGEST_TIMEOUT) return ms;
  throw new InvalidArgumentError('It must be a time like 90s, 10m or 1h30m, up to 24 days.');
}

/** The runner ends the command when the time is over, see `runProgram`. */
export interface TypedTimeout {
  /** Milliseconds for the whole command. */
  readonly timeout?: number;
}

export function timeoutOption(): Option {
  const about = 'stop after this time, such as 90s or 10m, with status 75; what is done is kept';
  return new Option('--timeout <duration>', about).argParser(duration);
}

/** A web origin, or `*` for any; repeatable. */
export function origin(text: string, earlier: readonly string[] = []): string[] {
  refuseCredentials(text);
  const url = URL.parse(text);
  const isBare = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (text === '*') return [...earlier, text];
  if (isBare) return [...earlier, url.origin];
  throw new InvalidArgumentError('It must be an origin like https://skins.example.org, or * for any.');
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

export interface TypedLimit {
  readonly limit?: number;
  readonly all?: boolean;
}

/** What a list shows, in the plural, and how many of it unless the user says otherwise. */
interface Listing {
  readonly what: string;
  readonly usual: number;
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
export function truncationNote(shown: number, { what }: Listing, total?: string): string {
  const some = total === undefined ? `the first ${count(shown)}` : `${count(shown)} of ${total}`;
  return `Showing ${some} ${what}. To list all of them: --all`;
}

/** The file to write, as two ways to name it give it. */
export interface TypedOutFile {
  readonly out?: string;
}

/**
 * Adds `--out <file>`, and the same file as a last argument, which help does not show: earlier scripts have it there.
 *
 * @param usage what the help shows of the arguments, such as `<set>`
 */
export function addOutFile(command: Command, { about, usage }: { about: string; usage?: string }): Command {
  return command
    .addArgument(new Argument('[file]').argParser(nonEmpty))
    .usage(['[options]', ...(usage === undefined ? [] : [usage])].join(' '))
    .option('--out <file>', about, nonEmpty);
}

/** @param typed the argument @throws CliError if both ways name a file */
export function outFileOf(typed: string | undefined, { out }: TypedOutFile): string | undefined {
  if (typed === undefined || out === undefined) return out ?? typed;
  const hint = 'Name the file to write once, with --out.';
  throw usageError('two_outputs', `Two files to write: ${typed} and ${out}.`, hint);
}
