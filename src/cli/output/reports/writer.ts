import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CliError } from '../../exit.ts';
import type { ReportKind } from './kinds.ts';
import type { NumberedFailure, Report, ReportEntry, ReportSummary } from './report.ts';
import { REPORTS } from './reports.ts';

/** How many failures are kept for the list of them. */
const MAX_LISTED = 200;

/** Text that waits to be written, in UTF-16 units. */
const MAX_WAITING = 64 * 1024;

/**
 * Begins a report; its folder is made when it is missing. The file at `path` appears, or is replaced, when the
 * report is finished, and not before. @throws CliError when something other than a file is there
 */
export async function openReport(kind: ReportKind, path: string): Promise<ReportWriter> {
  const target = resolve(path);
  await verifyReplaceable(target, path);
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}.`);
  await writeFile(join(folder, 'entries'), '');
  return new ReportWriter(REPORTS[kind], target, folder);
}

async function verifyReplaceable(target: string, path: string): Promise<void> {
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined || found.isFile()) return;
  throw new CliError('report_unusable', `The report cannot be written to ${path}: that is no file.`, {
    hint: 'Name a file, such as report.html.',
    exit: 'usage',
  });
}

/**
 * A report in the making. The counts stand at the head and are known last, so entries are spooled to a folder
 * beside the target; little of them stays in memory.
 */
export class ReportWriter {
  readonly #report: Report;
  readonly #target: string;
  readonly #folder: string;
  readonly #failures: NumberedFailure[] = [];
  #count = 0;
  #waiting = '';
  #written = Promise.resolve();
  #isOpen = true;

  constructor(report: Report, target: string, folder: string) {
    this.#report = report;
    this.#target = target;
    this.#folder = folder;
  }

  /** Entries stand in the order of these calls, awaited or not. */
  async add(entry: ReportEntry): Promise<void> {
    this.#assertOpen();
    this.#count++;
    this.#waiting += this.#report.entry(entry, this.#count);
    this.#note(entry);
    if (this.#waiting.length >= MAX_WAITING) await this.#flush();
  }

  /** Puts the report in its place, once. */
  async finish(summary: ReportSummary): Promise<void> {
    this.#assertOpen();
    this.#isOpen = false;
    try {
      await this.#flush();
      await rename(await this.#compose(summary), this.#target);
    } finally {
      await this.#clear();
    }
  }

  /** Leaves nothing behind; after `finish` there is nothing to leave. */
  async abandon(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#written.catch(() => undefined); // told to whoever added
    await this.#clear();
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new Error('The report is closed already.');
  }

  #note({ front: _, ...entry }: ReportEntry): void {
    if (entry.outcome !== 'failed' || this.#failures.length === MAX_LISTED) return;
    this.#failures.push({ number: this.#count, entry });
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    this.#written = this.#written.then(async () => await appendFile(this.#entries, text));
    await this.#written;
  }

  async #compose(summary: ReportSummary): Promise<string> {
    const document = join(this.#folder, 'document');
    await pipeline(this.#parts(summary), createWriteStream(document, { flush: true }));
    return document;
  }

  async *#parts(summary: ReportSummary): AsyncGenerator<string | Buffer> {
    yield this.#report.head(summary, this.#failures);
    yield* createReadStream(this.#entries);
    yield this.#report.foot;
  }

  get #entries(): string {
    return join(this.#folder, 'entries');
  }

  async #clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
