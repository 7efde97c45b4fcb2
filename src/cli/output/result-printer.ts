import type { Picture } from '../../skin/picture.ts';
import { colorsFor } from '../terminal/colors.ts';
import type { Io } from '../terminal/io.ts';
import { jsonDocument, jsonLine } from '../text/json.ts';
import { clean } from '../text/text.ts';
import { FORMATS, type Formatted } from './formats/formats.ts';
import type { FormatName } from './formats/names.ts';
import { JsonList } from './json-list.ts';
import type { TerminalPictures } from './picture/terminal-picture.ts';
import { picturedText, resultRow, resultText } from './results.ts';
import { isFinished, type ResultView } from './views.ts';

interface PrinterOptions {
  readonly json: boolean;
  readonly ndjson: boolean;
  /** Absent: readable text on a terminal, rows in a pipe. */
  readonly formats: readonly FormatName[] | undefined;
  /** The user named several sources: JSON output is then a list, even for a single result. */
  readonly isList: boolean;
  readonly pictures?: ResultPictures | undefined;
}

/** Images shown beside results on a terminal. */
export interface ResultPictures {
  /** Undefined if the terminal cannot show images. */
  readonly terminal: TerminalPictures | undefined;
  /** Returns the figure at one image pixel per skin pixel; called only when it is shown. */
  readonly pictureOf: (result: ResultView) => Promise<Picture | undefined>;
}

/** Writes results to stdout as they arrive, or as one JSON document in the order of the sources. */
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

  /**
   * `index` is the position of the source, for results that arrive out of order; `sentName`, the name that the service
   * was asked for.
   */
  async add(result: ResultView, index = this.#count, sentName?: string): Promise<void> {
    const { json, ndjson, formats } = this.#options;
    this.#count++;
    if (ndjson) this.#io.out.write(jsonLine(this.#asJson(result)));
    else if (this.#list) this.#list.add(this.#asJson(result), index);
    else if (json) this.#io.out.write(jsonDocument(this.#asJson(result)));
    else if (formats !== undefined) for (const format of formats) this.#printFormatted(result, format);
    else if (!this.#io.out.isTTY) this.#io.out.write(resultRow(result));
    else if (!result.error) await this.#printText(result, sentName);
  }

  /** Adds an image if the terminal can show it and the caller has one. */
  async #printText(result: ResultView, sentName: string | undefined): Promise<void> {
    const colors = await colorsFor(this.#io.out);
    const { terminal, pictureOf } = this.#options.pictures ?? {};
    const picture = terminal && (await pictureOf?.(result));
    const text = picture
      ? picturedText(result, colors, { picture, terminal, sentName })
      : resultText(result, colors, sentName);
    this.#io.out.write(text);
  }

  end(): void {
    this.#list?.end();
  }

  /** After an error; does nothing after `end`. */
  endEarly(): void {
    this.#list?.endEarly();
  }

  /** A single format is the whole document; several formats are keyed by name. */
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
