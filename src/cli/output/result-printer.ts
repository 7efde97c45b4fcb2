import type { Io } from '../io.ts';
import { FORMATS, type Formatted, isFinished } from './formats/formats.ts';
import type { FormatName } from './formats/names.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { resultRow, resultText } from './results.ts';
import { clean, colorsFor } from './text.ts';
import type { ResultView } from './views.ts';

interface PrinterOptions {
  readonly json: boolean;
  readonly ndjson: boolean;
  /** Absent: the readable text on a terminal, rows in a pipe. */
  readonly format: FormatName | undefined;
  /** Several sources were given: JSON is a list then, even of one. */
  readonly isList: boolean;
}

/** Writes results to stdout as they come, or as one JSON document at the end. */
export class ResultPrinter {
  readonly #io: Io;
  readonly #options: PrinterOptions;
  readonly #results: ResultView[] = [];

  constructor(io: Io, options: PrinterOptions) {
    this.#io = io;
    this.#options = options;
  }

  async add(result: ResultView): Promise<void> {
    const { json, ndjson, format } = this.#options;
    if (ndjson) this.#io.out.write(jsonLine(this.#asJson(result)));
    else if (json) this.#results.push(result);
    else if (format !== undefined) this.#printFormatted(result, format);
    else if (!this.#io.out.isTTY) this.#io.out.write(resultRow(result));
    else if (!result.error) this.#io.out.write(resultText(result, await colorsFor(this.#io.out)));
  }

  end(): void {
    const { json, ndjson, isList } = this.#options;
    if (!json || ndjson) return;
    const views = this.#results.map((result) => this.#asJson(result));
    const document = isList ? views : views[0];
    if (document !== undefined) this.#io.out.write(jsonDocument(document));
  }

  #asJson(result: ResultView): Formatted {
    const { format = 'json' } = this.#options;
    return isFinished(result) ? FORMATS[format](result) : { ...result };
  }

  #printFormatted(result: ResultView, format: FormatName): void {
    if (!isFinished(result)) return;
    const formatted = FORMATS[format](result);
    this.#io.out.write(typeof formatted === 'string' ? `${clean(formatted)}\n` : jsonLine(formatted));
  }
}
