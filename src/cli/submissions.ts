import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Lines kept when the file has grown too long, and the bytes that are too long. */
const KEPT_LINES = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** Which source each job came from, for those that this machine submitted: one JSON line each. */
export class Submissions {
  readonly #folder: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#folder = dataDir;
    this.#path = join(dataDir, 'submissions.ndjson');
  }

  async record(job: string, source: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // The line break comes first: a line that a crash cut off must not swallow this one.
    await appendFile(this.#path, `\n${JSON.stringify({ job, source })}\n`, { mode: 0o600 });
  }

  /** Source by job id. A torn or foreign line is passed over: this is a help to people, not a ledger. */
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
    const lines = entries.map(([job, source]) => `${JSON.stringify({ job, source })}\n`);
    await writeFile(aside, lines.join(''), { mode: 0o600 });
    await rename(aside, this.#path);
  }
}

function parseLine(line: string): [string, string][] {
  if (line === '') return [];
  try {
    const { job, source } = JSON.parse(line) as Record<string, unknown>;
    return typeof job === 'string' && typeof source === 'string' ? [[job, source]] : [];
  } catch {
    return []; // cut off by a crash
  }
}
