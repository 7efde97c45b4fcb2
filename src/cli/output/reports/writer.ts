import { createReadStream } from 'node:fs';
import { appendFile, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { asidePath, makeFolder, removeLeftovers, renameOver, withPath } from '../../../base/files.ts';
import { MAX_CHECKED_BYTES } from '../../../skin/check.ts';
import { InvalidImageError, type Picture } from '../../../skin/picture.ts';
import { decodePng } from '../../../skin/png/decode.ts';
import { encodePng } from '../../../skin/png/encode.ts';
import type { Variant } from '../../../skin/regions.ts';
import { drawFlat } from '../../../skin/render/flat.ts';
import { chooseVariant } from '../../../skin/variant.ts';
import { usageError } from '../../errors/exit.ts';
import {
  type EntryOutcome,
  type Figure,
  html,
  markupText,
  type NumberedFailure,
  type ReportEntry,
  type ReportFormat,
  type ReportKind,
  type ReportPage,
  type ReportSummary,
} from './report.ts';

const MARK = '<testsuite name="skinsmith"';

/**
 * JUnit XML as CI services read it (https://github.com/testmoapp/junitxml): one suite, with one case per source. The
 * case's output contains whether the skin was made or known, its uuid, and its warnings.
 */
export const junit: ReportFormat = {
  mark: MARK,
  head: (summary) => {
    const counts = countAttributes(summary);
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${counts}>`,
      `  ${MARK} ${counts} timestamp="${summary.started.toISOString()}">`,
      `    <properties><property name="service" value="${markupText(summary.service)}"/></properties>`,
      '',
    ].join('\n');
  },
  entry: (entry) => {
    const name = `classname="skinsmith" name="${markupText(entry.source)}"`;
    const lines = [...outcomeLines(entry), ...outputLines(entry)].map((line) => `      ${line}\n`);
    return `    <testcase ${name} time="${seconds(entry.seconds)}">\n${lines.join('')}    </testcase>\n`;
  },
  foot: '  </testsuite>\n</testsuites>\n',
};

function countAttributes({ total, failed, skipped, seconds: time }: ReportSummary): string {
  return `tests="${total}" failures="${failed}" errors="0" skipped="${skipped}" time="${seconds(time)}"`;
}

function seconds(time = 0): string {
  return time.toFixed(3);
}

function outcomeLines({ outcome, error }: ReportEntry): string[] {
  const message = markupText(error?.message ?? '');
  if (outcome === 'skipped') return [error ? `<skipped message="${message}"/>` : '<skipped/>'];
  if (outcome !== 'failed') return [];
  const hint = error?.hint === undefined ? '' : `\nhint: ${markupText(error.hint)}`;
  const type = markupText(error?.code ?? 'failed');
  return [`<failure message="${message}" type="${type}">${message}${hint}</failure>`];
}

function outputLines({ outcome, name, variant, uuid, warnings }: ReportEntry): string[] {
  const facts = Object.entries({ outcome, name, variant, uuid }).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}: ${markupText(text)}`],
  );
  const remarks = warnings.map(({ code, message }) => `warning: ${markupText(`${message} (${code})`)}`);
  return [`<system-out>${[...facts, ...remarks].join('\n')}</system-out>`];
}

const MAX_LISTED = 200;

/** Size of the write buffer, in UTF-16 units. */
const MAX_WAITING = 64 * 1024;

interface ReportPlace {
  /** Whether it is a pipe or a device, which is written to. */
  readonly isStream: boolean;
  /** Called before a file is replaced; without a path, the report itself. @throws CliError if it must stay */
  readonly verify: (path?: string) => void;
}

/**
 * Starts a report and creates its folder if it is missing. The file at `path` is created or replaced only when the
 * report is finished.
 * @throws CliError when a folder is there, or a file that must stay
 */
export async function openReport(kind: ReportKind, path: string, place: ReportPlace): Promise<ReportWriter> {
  const target = resolve(path);
  await verifyNoFolder(target, path);
  place.verify();
  const near = place.isStream ? join(tmpdir(), 'skinsmith-report') : target;
  makeFolder(dirname(near));
  removeLeftovers(near, Date.now());
  return await naming(target, async () => {
    const folder = asidePath(near);
    await mkdir(folder, 0o700);
    const writer = new ReportWriter(REPORTS[kind], target, folder, place);
    await writeFile(join(folder, 'entries'), '').catch(async (error: unknown) => {
      await writer.abandon();
      throw error;
    });
    return writer;
  });
}

/** Errors name the report, not its temporary files. */
async function naming<T>(target: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw withPath(error, target, (error as NodeJS.ErrnoException).path);
  }
}

async function verifyNoFolder(target: string, path: string): Promise<void> {
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found?.isDirectory()) return;
  throw usageError(
    'report_unusable',
    `The report cannot be written to ${path}: it is a folder.`,
    'Name a file, such as report.html.',
  );
}

/** The source that an entry belongs to, and the entry's bytes in the spool file. */
interface SpooledEntry {
  readonly index: number;
  readonly outcome: EntryOutcome;
  readonly start: number;
  readonly bytes: number;
}

/**
 * A report being written. The counts are at the top but known last, so entries are spooled to a folder beside the
 * target; little of them stays in memory.
 */
export class ReportWriter {
  readonly #report: ReportFormat;
  readonly #target: string;
  readonly #folder: string;
  readonly #place: ReportPlace;
  readonly #failures: NumberedFailure[] = [];
  readonly #places: SpooledEntry[] = [];
  #size = 0;
  #waiting = '';
  #written = Promise.resolve();
  #isOpen = true;

  constructor(report: ReportFormat, target: string, folder: string, place: ReportPlace) {
    this.#report = report;
    this.#target = target;
    this.#folder = folder;
    this.#place = place;
  }

  /** Entries are ordered by source; those without an index by the order of these calls, awaited or not. */
  async add(entry: ReportEntry): Promise<void> {
    this.#assertOpen();
    const { index = this.#places.length } = entry;
    const text = this.#report.entry(entry, index + 1);
    const bytes = Buffer.byteLength(text);
    this.#places.push({ index, outcome: entry.outcome, start: this.#size, bytes });
    this.#size += bytes;
    this.#waiting += text;
    this.#note(entry, index + 1);
    if (this.#waiting.length >= MAX_WAITING) await naming(this.#target, async () => await this.#flush());
  }

  /** Moves the report to its final path, once. */
  async finish(summary: ReportSummary): Promise<void> {
    this.#assertOpen();
    this.#isOpen = false;
    try {
      await naming(this.#target, async () => {
        await this.#flush();
        if (this.#place.isStream) await this.#stream(summary);
        else await this.#publish(summary);
      });
    } finally {
      await this.#clear();
    }
  }

  /** Removes the temporary files; after `finish` there are none. */
  async abandon(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#written.catch(() => undefined); // reported to the caller that added the entry
    await this.#clear();
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new Error('The report is already closed.');
  }

  #note({ figure: _, data: __, ...entry }: ReportEntry, number: number): void {
    if (entry.outcome !== 'failed' || this.#failures.length === MAX_LISTED) return;
    this.#failures.push({ number, entry });
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    this.#written = this.#written.then(async () => await appendFile(this.#entries, text));
    await this.#written;
  }

  /** To a pipe or device goes one document, whatever its size. */
  async #stream(summary: ReportSummary): Promise<void> {
    const places = this.#places.toSorted((a, b) => a.index - b.index);
    await writeFile(this.#target, createReadStream(await this.#compose(summary, places, undefined)));
  }

  async #publish(summary: ReportSummary): Promise<void> {
    const pages = this.#pages();
    const files: { readonly document: string; readonly path: string }[] = [];
    for (const [at, places] of pages.entries()) {
      const page = pages.length > 1 ? this.#pageOf(at + 1, places, pages.length) : undefined;
      files.push({ document: await this.#compose(summary, places, page), path: this.#pathOf(at + 1) });
    }
    // The batch may have written a file there.
    for (const [at, { path }] of files.entries()) this.#place.verify(at === 0 ? undefined : path);
    for (const { document, path } of files) renameOver(document, path);
  }

  /** The entries of each page in the order of their sources, since results arrive in the order of completion. */
  #pages(): readonly (readonly SpooledEntry[])[] {
    const { pageSize = Number.POSITIVE_INFINITY } = this.#report;
    const sorted = this.#places.toSorted((a, b) => a.index - b.index);
    const pages = Map.groupBy(sorted, ({ index }) => Math.floor(index / pageSize));
    return pages.size === 0 ? [[]] : [...pages.values()];
  }

  #pageOf(number: number, places: readonly SpooledEntry[], count: number): ReportPage {
    const entries = { made: 0, known: 0, failed: 0, skipped: 0 };
    for (const { outcome } of places) entries[outcome]++;
    return { number, count, entries, nameOf: (page) => basename(this.#pathOf(page)) };
  }

  /** `skins.html`, `skins-2.html`, … */
  #pathOf(page: number): string {
    const { dir, name, ext } = parse(this.#target);
    return page === 1 ? this.#target : join(dir, `${name}-${page}${ext}`);
  }

  async #compose(
    summary: ReportSummary,
    places: readonly SpooledEntry[],
    page: ReportPage | undefined,
  ): Promise<string> {
    const document = join(this.#folder, `document-${page?.number ?? 1}`);
    // Not by a stream: it would gather its writes, which Node 26 refuses inside of a single executable.
    await writeFile(document, this.#parts(summary, places, page), { flush: true });
    return document;
  }

  async *#parts(
    summary: ReportSummary,
    places: readonly SpooledEntry[],
    page: ReportPage | undefined,
  ): AsyncGenerator<string | Buffer> {
    const failures = this.#failures.toSorted((a, b) => a.number - b.number);
    yield this.#report.head(summary, failures, page);
    const spool = await open(this.#entries);
    try {
      for (const { start, bytes } of places) {
        const { buffer } = await spool.read(Buffer.alloc(bytes), 0, bytes, start);
        yield buffer;
      }
    } finally {
      await spool.close();
    }
    yield this.#report.foot;
  }

  get #entries(): string {
    return join(this.#folder, 'entries');
  }

  async #clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Draws a skin file's figure from the front and the back, as PNGs of 16×32 pixels; undefined when the file is not a
 * readable skin. Without a variant, the image determines it.
 */
export function figureOf(bytes: Uint8Array, wanted?: Variant | 'auto' | 'unknown'): Figure | undefined {
  const picture = readPicture(bytes);
  if (!picture) return undefined;
  const { variant } = chooseVariant(picture, wanted);
  return {
    front: encodePng(drawFlat(picture, variant, 'front')),
    back: encodePng(drawFlat(picture, variant, 'back')),
  };
}

function readPicture(bytes: Uint8Array): Picture | undefined {
  try {
    return decodePng(bytes, { maxBytes: MAX_CHECKED_BYTES });
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}

export const REPORTS = { junit, html } satisfies Record<ReportKind, ReportFormat>;
