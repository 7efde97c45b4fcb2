import type { Io } from '../io.ts';
import { FORMATS, type Formatted, isFinished } from './formats/formats.ts';
import type { FormatName } from './formats/names.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { JsonList } from './json-list.ts';
import { resultRow, resultText } from './results.ts';
import { clean, colorsFor } from './text.ts';
import type { ResultView } from './views.ts';

interface PrinterOptions {
  readonly json: boolean;
  readonly ndjson: boolean;
  /** Absent: the readable text on a terminal, rows in a pipe. */
  readonly formats: readonly FormatName[] | undefined;
  /** Several sources were given: JSON is a list then, even of one. */
  readonly isList: boolean;
}

/** Writes results to stdout as they come, or as one JSON document in the order of the sources. */
export class ResultPrinter {
  readonly #io: Io;
  readonly #options: PrinterOptions;
  readonly #list: JsonList | undefined;
  #count = 0;

  constructor(io: Io, options: PrinterOptions) {
    this.#io = io;
    this.#options = options;
    this.#list = options.json && !options.ndjson && options.isList ? new JsonList(io.out) : undefined;
  }

  /** `index`: position of the source, where results do not come in their order. */
  async add(result: ResultView, index = this.#count): Promise<void> {
    const { json, ndjson, formats } = this.#options;
    this.#count++;
    if (ndjson) this.#io.out.write(jsonLine(this.#asJson(result)));
    else if (this.#list) this.#list.add(this.#asJson(result), index);
    else if (json) this.#io.out.write(jsonDocument(this.#asJson(result)));
    else if (formats !== undefined) for (const format of formats) this.#printFormatted(result, format);
    else if (!this.#io.out.isTTY) this.#io.out.write(resultRow(result));
    else if (!result.error) this.#io.out.write(resultText(result, await colorsFor(this.#io.out)));
  }

  end(): void {
    this.#list?.end();
  }

  /** One format is the document itself; of several each has its name. */
  #asJson(result: ResultView): Formatted {
    if (!isFinished(result)) return { ...result };
    const [first = 'json', ...more] = this.#options.formats ?? [];
    if (more.length === 0) return FORMATS[first].render(result);
    const { source } = result;
    const rendered = [first, ...more].map((format) => [format, FORMATS[format].render(result)]);
    return { ...(source !== undefined && { source }), ...Object.fromEntries(rendered) };
  }

  #printFormatted(result: ResultView, format: FormatName): void {
    if (!isFinished(result)) return;
    const formatted = FORMATS[format].render(result);
    this.#io.out.write(typeof formatted === 'string' ? `${clean(formatted)}\n` : jsonLine(formatted));
  }
}
