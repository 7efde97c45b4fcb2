import type { Io } from '../terminal/io.ts';
import { jsonDocument, jsonLine } from '../text/json.ts';
import { ago, alignedRows, clean } from '../text/text.ts';
import { JsonList } from './json-list.ts';
import { jobRow } from './results.ts';
import type { JobView } from './views.ts';

interface JobPrinterOptions {
  readonly json: boolean;
  readonly ndjson: boolean;
  readonly isList: boolean;
}

/** Writes jobs to stdout: each as it is accepted, or all as one JSON document at the end. */
export class JobPrinter {
  readonly #io: Io;
  readonly #options: JobPrinterOptions;
  readonly #list: JsonList | undefined;
  #count = 0;

  constructor(io: Io, options: JobPrinterOptions) {
    this.#io = io;
    this.#options = options;
    this.#list = options.json && !options.ndjson && options.isList ? new JsonList(io.out) : undefined;
  }

  /** `index` is the position of the source, for jobs that arrive out of order. */
  async add(job: JobView, index = this.#count): Promise<void> {
    this.#count++;
    if (this.#options.ndjson) this.#io.out.write(jsonLine(job));
    else if (this.#list) this.#list.add(job, index);
    else if (this.#options.json) this.#io.out.write(jsonDocument(job));
    else if (this.#io.out.isTTY)
      this.#io.out.write(`${clean(job.job)}  ${job.status}  ${clean(job.source ?? '')}\n`);
    else this.#io.out.write(jobRow(job));
  }

  end(): void {
    this.#list?.end();
  }

  /** After an error; does nothing after `end`. */
  endEarly(): void {
    this.#list?.endEarly();
  }
}

/** Prints a whole list of jobs. */
export function jobTable(jobs: readonly JobView[], { io, now }: { io: Io; now: number }): string {
  if (!io.out.isTTY) return jobs.map(jobRow).join('');
  const rows = jobs.map((job) => [job.job, job.status, ago(job.createdAt, now), job.source]);
  return alignedRows(['JOB', 'STATUS', 'CREATED', 'SOURCE'], rows, io.out.columns);
}
