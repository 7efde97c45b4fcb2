import { appendFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../base/files.ts';
import type { SourceContent } from '../../batch/model.ts';
import type { SkinOptions } from '../../index.ts';

/** Number of lines kept when the file grows too long, and the size in bytes at which it is too long. */
const KEPT_LINES = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** A job's id, and what it is made from. */
export interface JobSource {
  readonly job: string;
  /** As the user typed it. */
  readonly source: string;
  /** What was sent for it, which `retry` may send again; absent for pictures that are only in memory, as from stdin. */
  readonly sent?: SentSource | undefined;
}

/** Where a picture is, files by their absolute paths, and the options of its skin. */
export interface SentSource {
  readonly content: Extract<SourceContent, { kind: 'file' | 'url' | 'user' }>;
  readonly options: SkinOptions;
}

/** Records the source of each job that this machine submitted, as one JSON line per job. */
export class JobSources {
  readonly #folder: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#folder = dataDir;
    this.#path = join(dataDir, 'submissions.ndjson');
  }

  record(jobs: readonly JobSource[]): void {
    // A line break comes first, so that a line truncated by a crash does not corrupt these.
    const lines = `\n${jobs.map(lineOf).join('')}`;
    try {
      this.#append(lines);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makeFolder(this.#folder, 0o700);
      this.#append(lines);
    }
  }

  /** Synchronous: waking a thread of the pool takes longer. */
  #append(lines: string): void {
    appendFileSync(this.#path, lines, { mode: 0o600 });
  }

  /** Sources by job id, in the order of their submission. */
  async sources(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.#entries()).map(({ job, source }) => [job, source]));
  }

  /** What is known about one job. */
  async of(id: string): Promise<JobSource | undefined> {
    return (await this.#entries()).findLast(({ job }) => job === id);
  }

  /** Malformed lines are skipped: the file is a convenience, not a record. */
  async #entries(): Promise<readonly JobSource[]> {
    const text = await this.#read();
    const entries = text.split('\n').flatMap(parseLine);
    if (text.length > MAX_BYTES) await this.#shorten(entries.slice(-KEPT_LINES));
    return entries;
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }

  async #shorten(entries: readonly JobSource[]): Promise<void> {
    const aside = `${this.#path}.${process.pid}`;
    const lines = entries.map(lineOf);
    await writeFile(aside, lines.join(''), { mode: 0o600 });
    await rename(aside, this.#path);
  }
}

function lineOf({ job, source, sent }: JobSource): string {
  return `${JSON.stringify({ job, source, ...(sent && { sent }) })}\n`;
}

function parseLine(line: string): JobSource[] {
  if (line === '') return [];
  try {
    const { job, source, sent } = JSON.parse(line) as Record<string, unknown>;
    if (typeof job !== 'string' || typeof source !== 'string') return [];
    return [{ job, source, ...(isSent(sent) && { sent }) }];
  } catch {
    return []; // truncated by a crash
  }
}

/** Whether it names a picture; services check the options. */
function isSent(sent: unknown): sent is SentSource {
  const { content, options } = Object(sent) as Partial<Record<keyof SentSource, unknown>>;
  const { kind, path, url, user } = Object(content) as Record<string, unknown>;
  const place = { file: path, url, user }[String(kind)];
  return typeof place === 'string' && typeof options === 'object' && options !== null;
}
