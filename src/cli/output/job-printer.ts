import type { Io } from '../io.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { jobRow } from './results.ts';
import { ago, alignedRows, clean } from './text.ts';
import type { JobView } from './views.ts';

interface JobPrinterOptions {
  readonly json: boolean;
  readonly ndjson: boolean;
  readonly isList: boolean;
}

/** Writes jobs to stdout: as they are accepted, or as one JSON document at the end. */
export class JobPrinter {
  readonly #io: Io;
  readonly #options: JobPrinterOptions;
  readonly #jobs: JobView[] = [];

  constructor(io: Io, options: JobPrinterOptions) {
    this.#io = io;
    this.#options = options;
  }

  async add(job: JobView): Promise<void> {
    if (this.#options.ndjson) this.#io.out.write(jsonLine(job));
    else if (this.#options.json) this.#jobs.push(job);
    else if (this.#io.out.isTTY)
      this.#io.out.write(`${clean(job.job)}  ${job.status}  ${clean(job.source ?? '')}\n`);
    else this.#io.out.write(jobRow(job));
  }

  end(): void {
    const { json, ndjson, isList } = this.#options;
    if (!json || ndjson) return;
    const document = isList ? this.#jobs : this.#jobs[0];
    if (document !== undefined) this.#io.out.write(jsonDocument(document));
  }
}

/** A whole list of jobs at once. */
export function jobTable(jobs: readonly JobView[], { io, now }: { io: Io; now: number }): string {
  if (!io.out.isTTY) return jobs.map(jobRow).join('');
  const rows = jobs.map((job) => [job.job, job.status, ago(job.created, now), job.source]);
  return alignedRows(['JOB', 'STATUS', 'CREATED', 'SOURCE'], rows, io.out.columns);
}
