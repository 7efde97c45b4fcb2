import { clean } from '../../text/text.ts';

/** The kinds of report. A separate module, so that help and argument checks load nothing else. */
export const REPORT_KINDS = ['junit', 'html'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** `known`: the skin existed already, from an earlier run or on the service. */
export type EntryOutcome = 'made' | 'known' | 'failed' | 'skipped';

/** PNG bytes of a skin's figure, front and back. */
export interface Figure {
  readonly front: Uint8Array;
  readonly back: Uint8Array;
}

/** Data to copy from a report into a game or a server. */
export interface CopiedData {
  /** Base64 of the textures document. */
  readonly value: string;
  /** The command that gives a player head with the skin, without a slash. */
  readonly command: string;
}

/** The outcome of one source. */
export interface ReportEntry {
  /** Zero-based position of the source. */
  readonly index?: number;
  readonly source: string;
  readonly name?: string | undefined;
  readonly variant?: string | undefined;
  readonly uuid?: string | undefined;
  readonly outcome: EntryOutcome;
  readonly seconds?: number | undefined;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string | undefined };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** Present if an image is available. */
  readonly figure?: Figure | undefined;
  /** Present if there is a skin. */
  readonly data?: CopiedData | undefined;
}

export interface ReportSummary {
  readonly total: number;
  readonly made: number;
  readonly known: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly started: Date;
  /** Time zone for displayed times, such as `Europe/Berlin`; absent: that of the system. */
  readonly timeZone?: string;
  /** Address of the service, or its name. */
  readonly service: string;
}

/** A failed entry and its number: entries count from 1 in the order in which they were added. */
export interface NumberedFailure {
  readonly number: number;
  readonly entry: Omit<ReportEntry, 'figure' | 'data'>;
}

/** A kind of report, as texts: the head, one text per entry, and the foot form the document. */
export interface ReportFormat {
  /** A text near the start of every such report, by which an earlier one is known. */
  readonly mark: string;
  /** `failures` contains the first failures, up to a limit; `summary.failed` is the total. */
  readonly head: (summary: ReportSummary, failures: readonly NumberedFailure[]) => string;
  readonly entry: (entry: ReportEntry, number: number) => string;
  readonly foot: string;
}

/** Longer than any message of skinsmith; longer text is from outside. In UTF-16 units. */
const MAX_TEXT = 2_000;

const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes external text for XML and HTML, between tags and in quoted attributes: on one line, without active characters
 * or those that XML 1.0 forbids, truncated if too long.
 */
export function markupText(text: string): string {
  const line = clean(text);
  return escapeMarkup(line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line);
}

/** Escapes data that is useless unless complete, so it is never truncated. */
export function markupData(text: string): string {
  return escapeMarkup(clean(text));
}

function escapeMarkup(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
