import { isName, isNumber, isPlainName, withoutStyle } from './skin-names.ts';

/** A run of base64 in a text that is a value or a signature. */
export interface Run {
  readonly kind: 'value' | 'signature';
  readonly text: string;
  /** Where it begins in the text. */
  readonly at: number;
}

/** Base64 of some length; more than the longest value in one piece would overflow the stack of the expression. */
const RUN = /[A-Za-z0-9+/]{60,40000}={0,2}/g;
/** The start of base64 of a JSON object: `{` and a quote or white space. */
const OBJECT = /^e(?:yJ|y[A-D]|w[k-r0-3])/;
/** A document of textures; a cut one may have only what stands before them. */
const TEXTURES = /^\s*\{\s*"(?:textures|timestamp|profileId|profileName|signatureRequired)"|"textures"\s*:/;
/** Bytes of a signature: those of the key, of 1,024 to 8,192 bits. */
const SIGNATURE_BYTES: ReadonlySet<number> = new Set([128, 256, 384, 512, 1024]);

/** The values and signatures in a text, by what they are. */
export function runsIn(text: string): Run[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index: at }) => {
    const kind = kindOf(run);
    return kind ? [{ kind, text: run, at }] : [];
  });
}

function kindOf(run: string): Run['kind'] | undefined {
  if (OBJECT.test(run) && isValue(run)) return 'value';
  return SIGNATURE_BYTES.has(Buffer.byteLength(run, 'base64')) ? 'signature' : undefined;
}

function isValue(run: string): boolean {
  return TEXTURES.test(Buffer.from(run, 'base64').toString('latin1'));
}

/** Whether a text has a value somewhere, as documents of plugins do. */
export function hasSkinValue(text: string): boolean {
  for (const { 0: run } of text.matchAll(RUN)) if (kindOf(run) === 'value') return true;
  return false;
}

/** A run as texts that are not parsed write it, with escapes of JSON and SNBT for a slash and the like. */
const WRITTEN = /(?:[A-Za-z0-9+/]|\\{1,8}(?:\/|u00(?:3d|2b|2f))){60,40000}={0,2}/gi;
const ESCAPE = /\\{1,8}(\/|u00(?:3d|2b|2f))/gi;
const ESCAPED: Readonly<Record<string, string>> = { '/': '/', u003d: '=', u002b: '+', u002f: '/' };
/** Characters before a value that may begin a comment. */
const COMMENT = 256;

/** The values in the text of a document, however it writes them, and where. Comments have none. */
export function* valuesInDocument(text: string): Generator<{ readonly value: string; readonly at: number }> {
  for (const { 0: written, index: at } of text.matchAll(WRITTEN)) {
    const run = written.replace(ESCAPE, (_, escaped: string) => ESCAPED[escaped.toLowerCase()]!);
    const before = text.slice(Math.max(0, at - COMMENT), at);
    if (kindOf(run) === 'value' && !/(?:^|\n)[ \t]*#[^\n]*$/.test(before)) yield { value: bare(run), at };
  }
}

/** A value without its padding, which some writers leave out. */
export function bare(value: string): string {
  return value.replace(/={1,2}$/, '');
}

/** A run with what belongs to it. */
export interface PairedRun<R extends Run> {
  readonly run: R;
  readonly signature: string | undefined;
}

/**
 * The values among neighbours, each with the signature beside it: the next one, or where signatures come first, the one
 * before it.
 */
export function paired<R extends Run>(runs: readonly R[]): PairedRun<R>[] {
  const isSignatureFirst = runs[0]?.kind === 'signature';
  const ordered = isSignatureFirst ? runs.toReversed() : runs;
  const pairs = ordered.flatMap((run, index): PairedRun<R>[] => {
    if (run.kind !== 'value') return [];
    const next = ordered[index + 1];
    return [{ run, signature: next?.kind === 'signature' ? next.text : undefined }];
  });
  return isSignatureFirst ? pairs.toReversed() : pairs;
}

/** Commands and lines of scripts, which have other words beside the value than its name. */
const NAMED = /(?:^|\s)\/?npc skin -t (\S+) $/;
const NAMELESS = /(?:skin_blob|prefetched;textures|setSkin)[:;\s]*$/;
/** What separates the fields of a line. */
const FIELD = /[,;|=\t]|:(?=[\s"']|$)|["']/;
/** Fields of a line that are looked at on either side of a value. */
const MAX_FIELDS = 4;
/** Characters beside a run that may have its name, and those in which a signature stands as well. */
const BESIDE = 200;
const BEHIND = 2_000;

/** The name that the words beside a run give it: `guard=…`, `Guard;…`, `…;Guard`, `npc skin -t Guard …`. */
export function nameBeside(text: string, { at, text: run }: Run): string | undefined {
  const before = text.slice(Math.max(0, at - BESIDE), at);
  const given = NAMED.exec(before)?.[1];
  if (given !== undefined) return isName(given) ? given : undefined;
  const end = at + run.length;
  const behind = text.slice(end, end + BEHIND).replace(RUN, '');
  const after = end + BEHIND < text.length ? behind.replace(/[A-Za-z0-9+/]+$/, '') : behind; // a run that is cut
  if (/[{[]/.test(before)) return undefined;
  const fields = NAMELESS.test(before) ? [] : before.split(FIELD).reverse();
  return nameAmong(fields) ?? nameAmong(after.slice(0, BESIDE).split(FIELD));
}

function nameAmong(fields: readonly string[]): string | undefined {
  return fields
    .slice(0, MAX_FIELDS)
    .map((field) => withoutTerms(withoutStyle(field.replace(/^[\s-]+|[\s:]+$/g, ''))))
    .find((field) => isPlainName(field) && !isNumber(field));
}

/** `guard` of a key such as `guard.value`. */
function withoutTerms(key: string): string {
  if (!/^[\w-]+(?:\.[\w-]+)+$/.test(key)) return key;
  const parts = key.split('.');
  while (parts.length > 1 && !isPlainName(parts.at(-1)!)) parts.pop();
  return parts.join('.');
}
