import type { FinishedSkin } from '../../batch/model.ts';
import type { Note } from '../../protocol/envelope.ts';
import type { Job } from '../../protocol/job.ts';
import type { Picture } from '../../skin/picture.ts';
import type { CommandContext } from '../context/context.ts';
import { type Colors, colorsFor, type Io } from '../terminal/io.ts';
import { ago, clean, cleanLines, count, jsonDocument, jsonLine, oneLine } from '../text/text.ts';
import {
  type Columns,
  type CommandOutput,
  columnRows,
  type Field,
  type Fields,
  type FieldTable,
  fieldColumns,
  JsonList,
  type Table,
} from './described.ts';
import {
  FORMAT_PLACES,
  type FormatChoice,
  isPackFormat,
  isTemplateChoice,
  LONG_COMMANDS,
  type PackFormatName,
  type TemplateChoice,
} from './format-names.ts';
import {
  type Format,
  type FormatLike,
  type Formatted,
  formatOf,
  type PackLooks,
  packFormat,
  renderAll,
  type SkinToFormat,
  templateFormat,
} from './formats.ts';
import { parseTemplate, readTemplate } from './templates.ts';
import { besidePicture, type TerminalPictures } from './terminal-picture.ts';

type SkinView = Omit<FinishedSkin, 'signedBy' | 'duplicate'>;

/** The documented JSON output for one source's outcome. JSON omits undefined values. */
export interface ResultView extends Partial<SkinView> {
  readonly source?: string;
  readonly status: string;
  readonly job?: string;
  /** `game`, `embedded`, a service's address, or `unproved`. */
  readonly signer?: string;
  readonly duplicate?: boolean;
  readonly warnings: readonly Note[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** One job, as `queue` and `jobs` print it. Times are ISO 8601. */
export interface JobView {
  readonly job: string;
  readonly status: string;
  readonly createdAt?: string;
  readonly eta?: string;
  readonly source?: string;
  readonly uuid?: string;
}

interface ResultParts {
  readonly source: string | undefined;
  readonly job?: string | undefined;
  readonly skin?: FinishedSkin | undefined;
  readonly status?: string;
  readonly warnings?: readonly Note[];
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export function resultView({ source, job, skin, status, warnings = [], error }: ResultParts): ResultView {
  return {
    source,
    status: status ?? (error ? 'failed' : 'completed'),
    job,
    ...(skin && skinFields(skin)),
    signer: skin?.signedBy?.signer,
    duplicate: skin?.duplicate,
    warnings,
    error: error && { code: error.code, message: error.message },
  };
}

export function isFinished(
  result: ResultView,
): result is ResultView & Required<Pick<ResultView, 'value' | 'signature'>> {
  return result.value !== undefined && result.signature !== undefined;
}

/** The fields of a skin from any origin: the same for a new skin and one from the lockfile. */
export function skinFields({ signedBy: _, duplicate: __, ...fields }: FinishedSkin): SkinView {
  return fields;
}

export function jobView(job: Job, source?: string): JobView {
  return {
    job: job.id,
    status: job.status,
    ...(job.timestamp !== undefined && { createdAt: isoTime(job.timestamp) }),
    ...(job.eta !== undefined && { eta: isoTime(job.eta) }),
    source,
    uuid: job.result,
  };
}

/** Converts a time from outside; a number outside the range of dates is left unchanged. */
export function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}

export const RESULT_COLUMNS = {
  ...fieldColumns<ResultView>('source', 'status', 'job', 'uuid', 'variant', 'value', 'signature'),
  texture: ({ texture }) => texture?.url,
} satisfies Columns<ResultView>;

export const WARNINGS_FIELD: Field = {
  about: 'warnings about the result',
  fields: { code: 'code of the warning', message: 'a sentence' },
};

const RESULT_FIELDS: Fields<ResultView> = {
  source: 'what the skin was made from, as you typed it',
  status:
    'completed, failed, waiting, processing, unknown to the service, left (not submitted), or ' +
    'new, changed or repeated (--allow-new)',
  job: 'ID of the job',
  uuid: 'UUID of the skin',
  name: 'name of the skin',
  variant: 'classic or slim',
  visibility: 'public, unlisted or private',
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
  texture: {
    about: 'the texture; as a column, its URL',
    fields: { url: 'URL of the texture', hash: 'hash of the texture' },
  },
  signer:
    'who signed: game, embedded (the service of this or another machine), the address of a service, or unproved (unknown signer)',
  duplicate: 'whether the service had the skin already',
  warnings: WARNINGS_FIELD,
  error: { about: 'why there is no skin', fields: { code: 'error code', message: 'what went wrong' } },
};

/** Names of the fields that templates have: all of the JSON output, nested ones with dots. */
const TEMPLATE_FIELDS = fieldNames(RESULT_FIELDS);

function fieldNames(fields: FieldTable, path = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const below = typeof field === 'string' ? {} : (field.fields ?? {});
    return [`${path}${name}`, ...fieldNames(below, `${path}${name}.`)];
  });
}

/**
 * The formats that the user chose, with templates read. `pack`: that has the textures.
 * @throws CliError for a template that is not one
 */
export function openFormats(
  choices: readonly FormatChoice[] | undefined,
  { pack }: { readonly pack?: PackLooks | undefined } = {},
): readonly FormatLike[] | undefined {
  return choices?.map((choice) => {
    if (isTemplateChoice(choice)) return openTemplate(choice);
    return isPackFormat(choice) ? packFormat(choice, pack) : choice;
  });
}

function openTemplate(choice: TemplateChoice): Format {
  const { text, extension } = readTemplate(choice.slice('template:'.length));
  const template = parseTemplate(text, TEMPLATE_FIELDS);
  return templateFormat(extension, () => template);
}

export const RESULT_OUTPUT = {
  columns: RESULT_COLUMNS,
  json: { shape: 'object or list', fields: RESULT_FIELDS },
} as const satisfies CommandOutput;

export const JOB_COLUMNS = fieldColumns<JobView>('job', 'status', 'createdAt', 'source', 'uuid');

export const JOB_FIELDS: Fields<JobView> = {
  job: 'ID of the job',
  status: 'waiting, processing, completed, failed or unknown',
  createdAt: 'when the job was submitted',
  eta: 'when the service expects the job to be completed',
  source: 'what the skin is made from: as you typed it on this machine, or as the service knows it',
  uuid: 'UUID of the skin, once the job is completed',
};

export const JOB_OUTPUT = {
  columns: JOB_COLUMNS,
  json: { shape: 'object or list', fields: JOB_FIELDS },
} as const satisfies CommandOutput;

/** Characters that are shown of values and signatures: they fit beside a picture on 80 columns. */
const SHOWN = 48;

/** A skin as readable text, in which value and signature are shortened. */
function resultLines(result: ResultView, colors: Colors): string[] {
  const mark = result.status === 'completed' ? colors.good('✔') : colors.faint('•');
  const state = result.status === 'completed' ? undefined : result.status;
  const about = [
    state,
    result.variant,
    result.visibility,
    result.duplicate && result.name !== result.source && 'already known',
  ];
  const title = `${mark} ${colors.strong(clean(result.source ?? result.job ?? ''))}  ${about.filter(Boolean).join(', ')}`;
  const line = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`  ${colors.faint(label.padEnd(9))} ${clean(text)}`];
  return [
    title,
    ...line('uuid', result.uuid),
    ...line('name', result.name),
    ...line('texture', result.texture?.url),
    ...line('value', result.value && oneLine(result.value, SHOWN)),
    ...line('signature', result.signature && oneLine(result.signature, SHOWN)),
    ...line('signer', result.signer),
  ];
}

interface JsonOptions {
  readonly json: boolean;
  readonly ndjson: boolean;
  /** The user named several sources: JSON output is then a list, even for a single result. */
  readonly isList: boolean;
}

/** Writes JSON if it is wanted: a line for each item as it arrives, or one document in the order of the sources. */
export class JsonPrinter {
  protected readonly io: Io;
  readonly #options: JsonOptions;
  readonly #list: JsonList | undefined;
  #count = 0;

  constructor(io: Io, options: JsonOptions) {
    this.io = io;
    this.#options = options;
    this.#list = options.json && !options.ndjson && options.isList ? new JsonList(io.out) : undefined;
  }

  /** The position of the next item, if the caller does not know it. */
  protected next(): number {
    return this.#count++;
  }

  /** False if JSON is not wanted. */
  protected printJson(item: () => unknown, index: number): boolean {
    if (this.#options.ndjson) this.io.out.write(jsonLine(item()));
    else if (this.#list) this.#list.add(item(), index);
    else if (this.#options.json) this.io.out.write(jsonDocument(item()));
    else return false;
    return true;
  }

  end(): void {
    this.#list?.end();
  }

  /** After an error; does nothing after `end`. */
  endEarly(): void {
    this.#list?.endEarly();
  }
}

interface PrinterOptions extends JsonOptions {
  /** Absent: readable text on a terminal, rows in a pipe. */
  readonly formats: readonly FormatLike[] | undefined;
  readonly pictures?: ResultPictures | undefined;
  /** @throws CliError if a text is no document of its format */
  readonly verify?: ((text: string, format: FormatLike) => void) | undefined;
}

interface ResultPlace {
  readonly stem: string | undefined;
  readonly index: number;
}

export interface ResultPictures {
  /** Undefined if the terminal cannot show images. */
  readonly terminal: TerminalPictures | undefined;
  /** Returns the figure at one image pixel per skin pixel; called only when it is shown. */
  readonly pictureOf: (result: ResultView) => Promise<Picture | undefined>;
}

export class ResultPrinter extends JsonPrinter {
  readonly #options: PrinterOptions;
  /** The skins of one document, which is printed as a whole. */
  readonly #document = new Map<number, ResultView & SkinToFormat>();

  constructor(io: Io, options: PrinterOptions) {
    super(io, options);
    this.#options = options;
  }

  override end(): void {
    super.end();
    const [format] = this.#options.formats ?? [];
    const template = format && formatOf(format).template?.();
    if (!template || this.#document.size === 0) return;
    const inOrder = [...this.#document].sort(([a], [b]) => a - b);
    const text = renderAll(
      template,
      inOrder.map(([, skin]) => skin),
    );
    this.#options.verify?.(text, format);
    this.io.out.write(this.io.out.isTTY ? cleanLines(text) : text);
  }

  /** `index` is the position of the source, for results that arrive out of order; `stem`, the path of the source. */
  async add(result: ResultView, index = this.next(), stem?: string): Promise<void> {
    const { formats } = this.#options;
    const place = { stem, index };
    if (this.printJson(() => this.#asJson(result, place), index)) return;
    if (formats !== undefined) for (const format of formats) this.#printFormatted(result, format, place);
    else if (!this.io.out.isTTY) this.io.out.write(columnRows(RESULT_COLUMNS, [result]));
    else if (!result.error) await this.#printText(result);
  }

  /** Adds an image if the terminal can show it and the caller has one. */
  async #printText(result: ResultView): Promise<void> {
    const colors = await colorsFor(this.io.out);
    const { terminal, pictureOf } = this.#options.pictures ?? {};
    const picture = terminal && (await pictureOf?.(result));
    const lines = resultLines(result, colors);
    const text = picture ? besidePicture(picture, lines, terminal) : `${lines.join('\n')}\n`;
    this.io.out.write(text);
  }

  /** A single format is the whole document; several formats are keyed by name. */
  #asJson(result: ResultView, { stem, index }: ResultPlace): Formatted {
    if (!isFinished(result)) return { ...result };
    const [first = 'json', ...more] = this.#options.formats ?? [];
    if (more.length === 0) return formatOf(first).render(result, stem, index);
    const rendered = [first, ...more].map((wanted) => {
      const format = formatOf(wanted);
      return [format.name ?? wanted, format.render(result, stem, index)];
    });
    return { source: result.source, ...Object.fromEntries(rendered) };
  }

  #printFormatted(result: ResultView, wanted: FormatLike, { stem, index }: ResultPlace): void {
    if (!isFinished(result)) return;
    const { render, template } = formatOf(wanted);
    if (template?.().frame && this.#options.formats?.length === 1) {
      this.#document.set(index, result);
      return;
    }
    const formatted = render(result, stem, index);
    if (typeof formatted !== 'string') this.io.out.write(jsonLine(formatted));
    else if (!template) this.io.out.write(`${clean(formatted)}\n`);
    else this.io.out.write(this.io.out.isTTY ? cleanLines(formatted) : formatted);
  }
}

/** Writes jobs to stdout: each as it is accepted, or all as one JSON document at the end. */
export class JobPrinter extends JsonPrinter {
  /** `index` is the position of the source, for jobs that arrive out of order. */
  async add(job: JobView, index = this.next()): Promise<void> {
    const { out } = this.io;
    if (this.printJson(() => job, index)) return;
    out.write(
      out.isTTY
        ? `${clean(job.job)}  ${job.status}  ${clean(job.source ?? '')}\n`
        : columnRows(JOB_COLUMNS, [job]),
    );
  }
}

export const JOB_TABLE: Table<JobView> = {
  columns: JOB_COLUMNS,
  fields: JOB_FIELDS,
  shown: {
    JOB: 'job',
    STATUS: 'status',
    CREATED: ({ createdAt }, now) => ago(createdAt, now),
    SOURCE: 'source',
  },
};

/** Characters that Minecraft takes in chat, the slash included. */
const CHAT_LENGTH = 256;

/** A finished skin, with what formats need to know about its source. */
interface Printed {
  readonly skin: SkinToFormat;
  readonly stem?: string | undefined;
  readonly index?: number | undefined;
}

/** After a single skin in a format for people: says where it goes. */
export function sayWhereToPaste(
  formats: readonly FormatLike[] | undefined,
  { skin, stem, index }: Printed,
  { flags, messages }: Pick<CommandContext, 'flags' | 'messages'>,
): void {
  const [wanted, ...more] = formats ?? [];
  if (flags.json || wanted === undefined || more.length > 0) return;
  const format = formatOf(wanted);
  const name = typeof wanted === 'string' ? wanted : wanted.name;
  const place = name && placeOf(name, clean(String(format.render(skin, stem, index))).length);
  if (place) messages.say(place);
}

/** The same after a command for a skin of a pack. */
export function sayWhereToTypeCommands(
  formats: readonly PackFormatName[],
  { flags, messages }: Pick<CommandContext, 'flags' | 'messages'>,
): void {
  const [format, ...more] = formats;
  const place = format && FORMAT_PLACES[format];
  if (place && more.length === 0 && !flags.json) messages.say(place);
}

/** `length`: characters of a text in the format. */
function placeOf(format: keyof typeof FORMAT_PLACES, length: number): string | undefined {
  const place = FORMAT_PLACES[format];
  const isTooLong = LONG_COMMANDS.has(format) && length >= CHAT_LENGTH;
  return place && isTooLong ? `${place} ${count(length)} characters are too long for chat.` : place;
}
