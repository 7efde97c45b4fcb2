import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { z } from 'zod';
import { nearestName } from '../../base/spelling.ts';
import { streamLines } from '../../base/streams.ts';
import { shownName, shownNameProblem, utf16Of, withoutByteOrderMark } from '../../base/text.ts';
import { VISIBILITIES, visibilitySchema } from '../../protocol/skin.ts';
import { BatchSetupError, type VariantInput } from '../model.ts';
import type { SkinInJson } from './skin-json.ts';

/** The names of the variants, in this service and in the game, its launcher and plugins. */
const VARIANTS = {
  auto: 'auto',
  classic: 'classic',
  slim: 'slim',
  steve: 'classic',
  wide: 'classic',
  default: 'classic',
  alex: 'slim',
} as const satisfies Readonly<Record<string, VariantInput>>;

/** The columns of a list, in lower case; others are ignored and reported. `model` is another name for `variant`. */
const COLUMNS = ['source', 'name', 'variant', 'model', 'visibility'] as const;
/** Those that only packs have. */
const PACK_COLUMNS = ['cape', 'elytra'] as const;
export const ALL_COLUMNS = [...COLUMNS, ...PACK_COLUMNS] as const;
export type Column = (typeof ALL_COLUMNS)[number];

const name = z
  .string('must be text')
  .superRefine((value, context) => {
    const problem = shownNameProblem(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform(shownName);

const VARIANT_NAMES = Object.keys(VARIANTS) as (keyof typeof VARIANTS)[];
const NO_VARIANT = `must be one of ${VARIANT_NAMES.join(', ')}`;

const variant = z
  .string(NO_VARIANT)
  .toLowerCase()
  .pipe(z.enum(VARIANT_NAMES, NO_VARIANT))
  .transform((name) => VARIANTS[name]);

const rowSchema = z.object({
  source: z.string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') }),
  name: name.optional(),
  variant: variant.optional(),
  model: variant.optional(),
  visibility: z.enum(visibilitySchema.enum, `must be one of ${VISIBILITIES.join(', ')}`).optional(),
  cape: z.string('must be text').optional(),
  elytra: z.string('must be text').optional(),
});

/** The options of a list's row. */
export type RowOptions = Omit<z.infer<typeof rowSchema>, 'model'>;

/** A row, or its problem: a phrase that continues "Line 3 of list.csv: ". `line`: where it begins, from 1. */
export type ListRow =
  | { readonly line: number; readonly row: RowOptions }
  /** Skin data, if the row says so. */
  | { readonly line: number; readonly skin: SkinInJson }
  | { readonly line: number; readonly fault: string };

/** Columns of one list that have no meaning in it: each is reported once. */
export class UnknownColumns {
  readonly #reported = new Set<string>();
  readonly #title: string;
  readonly #warn: (message: string) => void;
  readonly #known: readonly string[];

  /** `title`: the list's name in messages. */
  constructor(title: string, warn: (message: string) => void, isForPack = false) {
    this.#title = title;
    this.#warn = warn;
    this.#known = isForPack ? ALL_COLUMNS : COLUMNS;
  }

  /** `names`: as written. */
  tell(names: readonly string[]): void {
    for (const name of names) {
      if (name === '' || this.#known.includes(name.toLowerCase()) || this.#reported.has(name)) continue;
      if (this.#reported.size === MAX_REPORTED) return;
      this.#reported.add(name);
      this.#warn(`${this.#title}: the column ${name.slice(0, SHOWN_NAME)} ${this.#reason(name)}`);
    }
  }

  #reason(name: string): string {
    if (PACK_COLUMNS.some((column) => column === name.toLowerCase()))
      return 'is ignored: only skinsmith pack uses it.';
    const near = nearestName(name, this.#known);
    return `is unknown and ignored.${near === undefined ? '' : ` Did you mean ${near}?`}`;
  }
}

/** Maximum unknown columns reported for one list, and characters shown of a name. */
const MAX_REPORTED = 20;
const SHOWN_NAME = 40;

export function isColumn(name: string): name is Column {
  return ALL_COLUMNS.some((column) => column === name);
}

/** A row with these values; empty ones count as absent. */
export function checkedRow(line: number, values: Readonly<Partial<Record<Column, unknown>>>): ListRow {
  const given = ALL_COLUMNS.map((column) => [column, trimmed(values[column])] as const);
  const checked = rowSchema.safeParse(Object.fromEntries(given));
  if (checked.success) {
    const { model, variant = model, ...rest } = checked.data;
    if (model !== undefined && model !== variant) return { line, fault: MODEL_DIFFERS };
    return { line, row: { ...rest, ...(variant && { variant }) } };
  }
  const [issue] = checked.error.issues;
  return { line, fault: `the column ${String(issue?.path[0])} ${issue?.message}` };
}

const MODEL_DIFFERS = 'the columns variant and model name different variants';

function trimmed(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  return value.trim() || undefined;
}

/** Reads lines one at a time, with lookahead. */
export class LineReader {
  readonly #lines: AsyncIterator<Line>;
  readonly #returned: Line[] = [];

  constructor(lines: AsyncIterable<Line>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async next(): Promise<Line | undefined> {
    const returned = this.#returned.pop();
    if (returned !== undefined) return returned;
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** Pushed back to be read again, in this order. */
  putBack(lines: readonly Line[]): void {
    this.#returned.push(...lines.toReversed());
  }

  async close(): Promise<void> {
    await this.#lines.return?.();
  }
}

/** Bytes. */
const LONGEST_LINE = 64 * 1024;

/** One line of a list, without its end. `number` counts from 1. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: string };

/** The lines of a list as they arrive. @throws BatchSetupError for binary data */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, title: string): AsyncGenerator<Line> {
  for await (const { number, bytes, isEnded } of streamLines(textChunks(chunks, title), LONGEST_LINE + 1)) {
    if (!bytes) yield { number, fault: `it is longer than ${LONGEST_LINE / 1024} KiB` };
    else yield lineIn(isEnded ? bytes.subarray(0, -1) : bytes, number);
  }
}

async function* textChunks(chunks: AsyncIterable<Uint8Array>, title: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of asUtf8(chunks)) {
    if (chunk.includes(0)) throw notText(title);
    yield chunk;
  }
}

/** The same text in UTF-8: Windows' editors and PowerShell write UTF-16 as well, and say so in its first two bytes. */
async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    let next = chunk;
    if (start) {
      next = start.length > 0 ? Buffer.concat([start, chunk]) : chunk;
      start = next.length < 2 ? Buffer.from(next) : undefined; // a copy: the stream may reuse the chunk
      if (start) continue;
      const encoding = utf16Of(next);
      if (encoding) decoder = new TextDecoder(encoding, { ignoreBOM: true });
    }
    yield decoder ? Buffer.from(decoder.decode(next, { stream: true })) : next;
  }
  if (start && start.length > 0) yield start;
  if (decoder) yield Buffer.from(decoder.decode());
}

function notText(title: string): BatchSetupError {
  return new BatchSetupError('not_a_list', `Not a list: ${title} contains zero bytes, so it is not text.`, {
    hint: 'A list is a text file: a source per line, CSV, or NDJSON.',
  });
}

function lineIn(bytes: Buffer, number: number): Line {
  if (!isUtf8(bytes)) return { number, fault: 'it is not UTF-8' };
  const text = bytes.toString('utf8').replace(/\r$/, '');
  return { number, text: number === 1 ? withoutByteOrderMark(text) : text };
}
