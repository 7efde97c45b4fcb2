import { type Command, InvalidArgumentError, Option } from 'commander';
import { REPORT_KINDS, type ReportKind } from '../output/reports/kinds.ts';

/** What a user types about sources and how they are worked through. */
export interface TypedBatchOptions {
  readonly recursive?: boolean;
  readonly ignore?: readonly string[];
  readonly from?: readonly string[];
  readonly as?: 'file' | 'url' | 'user';
  /** Fetch URLs from here and send the pictures. */
  readonly fetchLocally?: boolean;
  readonly out?: string;
  readonly lock?: string;
  readonly dryRun?: boolean;
  readonly frozen?: boolean;
  readonly force?: boolean;
  readonly prune?: boolean;
  readonly maxNew?: number;
  readonly retries?: number;
  readonly slots?: string;
  /** False: `--no-verify`. */
  readonly verify?: boolean;
  readonly report?: readonly ReportRequest[];
}

/** A report to be written: `html=contact-sheet.html`. */
export interface ReportRequest {
  readonly kind: ReportKind;
  readonly path: string;
}

export function addSourceOptions(command: Command): Command {
  return command
    .option('-r, --recursive', 'take the folders in folders, too')
    .option('--ignore <pattern>', 'leave out files of folders, as in a .gitignore (repeatable)', collect)
    .option('--from <list>', 'read sources from a list: lines, CSV or NDJSON; - for stdin', collect)
    .addOption(new Option('--as <kind>', 'what the sources are, in doubt').choices(['file', 'url', 'user']))
    .option(
      '--fetch-locally',
      'fetch URLs from this machine, its private networks included, and send the pictures',
    );
}

export function addBatchOptions(command: Command): Command {
  return command
    .option('--out <path>', 'write a file per source into this folder (or to this file, for one source)')
    .option('--lock <file>', 'the lockfile (default: skins.lock in the --out folder)')
    .option('--dry-run', 'say what would be done and how long it takes')
    .option('--frozen', 'use the lockfile alone: no network, exit 3 if a skin is missing')
    .option('--force', 'make anew what the lockfile has')
    .option('--prune', 'drop from the lockfile what has no source any more')
    .option('--max-new <number>', 'make no more new skins than this', wholeNumber(0))
    .option('--retries <number>', 'tries after a failure that can pass (default: 2)', wholeNumber(0))
    .option('--slots <number>', 'spots in the queue to use at the most')
    .option('--no-verify', 'do not fetch the textures of results to compare them')
    .option(
      '--report <kind=file>',
      `write a report: ${REPORT_KINDS.join(' or ')} (repeatable)`,
      collectReport,
    );
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number from ${least}.`);
  };
}

function collectReport(text: string, before: readonly ReportRequest[] = []): readonly ReportRequest[] {
  const [kind, path] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)];
  const known = REPORT_KINDS.find((name) => name === kind);
  if (known && path !== '') return [...before, { kind: known, path }];
  throw new InvalidArgumentError(`Give ${REPORT_KINDS.map((name) => `${name}=FILE`).join(' or ')}.`);
}

/** `--report html FILE` is the same as `--report html=FILE`. */
export function joinReportWords(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  for (let at = 0; at < argv.length; at++) {
    const [word = '', kind = '', path] = argv.slice(at, at + 3);
    const isApart =
      at < end && word === '--report' && path !== undefined && REPORT_KINDS.some((name) => name === kind);
    words.push(word, ...(isApart ? [`${kind}=${path}`] : []));
    if (isApart) at += 2;
  }
  return words;
}
