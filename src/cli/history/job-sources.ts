import { appendFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';

/** Number of lines kept when the file grows too long, and the size in bytes at which it is too long. */
const KEPT_LINES = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** A job's id, and what it is made from. */
export interface JobSource {
  readonly job: string;
  readonly source: string;
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

  /** Not in the thread pool: to wake one of its threads takes longer. */
  #append(lines: string): void {
    appendFileSync(this.#path, lines, { mode: 0o600 });
  }

  /** Sources by job id. Malformed lines are skipped: the file is a convenience, not a record. */
  async sources(): Promise<ReadonlyMap<string, string>> {
    const text = await this.#read();
    const entries = text.split('\n').flatMap(parseLine);
    if (text.length > MAX_BYTES) await this.#shorten(entries.slice(-KEPT_LINES));
    return new Map(entries);
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }

  async #shorten(entries: readonly [string, string][]): Promise<void> {
    const aside = `${this.#path}.${process.pid}`;
    const lines = entries.map(([job, source]) => lineOf({ job, source }));
    await writeFile(aside, lines.join(''), { mode: 0o600 });
    await rename(aside, this.#path);
  }
}

function lineOf({ job, source }: JobSource): string {
  return `${JSON.stringify({ job, source })}\n`;
}

function parseLine(line: string): [string, string][] {
  if (line === '') return [];
  try {
    const { job, source } = JSON.parse(line) as Record<string, unknown>;
    return typeof job === 'string' && typeof source === 'string' ? [[job, source]] : [];
  } catch {
    return []; // truncated by a crash
  }
}
