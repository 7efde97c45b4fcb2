import { createHash } from 'node:crypto';
import { clean, count } from '../../text/text.ts';

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
  readonly figure?: Figure | undefined;
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

/** One of several documents that a report with many entries is divided into. */
export interface ReportPage {
  /** Its number, and that of all; counted from 1. */
  readonly number: number;
  readonly count: number;
  readonly entries: Readonly<Record<EntryOutcome, number>>;
  readonly nameOf: (number: number) => string;
}

/** A kind of report, as texts: the head, one text per entry, and the foot form the document. */
export interface ReportFormat {
  /** A text near the start of every such report, by which an earlier one is known. */
  readonly mark: string;
  /** Maximum number of entries in one document; absent: any number. */
  readonly pageSize?: number;
  /** `failures` contains the first failures, up to a limit; `summary.failed` is the total. `page`: absent if it is the only one. */
  readonly head: (
    summary: ReportSummary,
    failures: readonly NumberedFailure[],
    page?: ReportPage | undefined,
  ) => string;
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

/** The entire style sheet of the HTML report. The page's content security policy allows only this text, by its hash. */
const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --ink: #1d2128; --faint: #5b6472; --line: #d9dde3;
  --stage-top: #b9c6d6; --stage-bottom: #94a5b9; --stage-ink: #2b3542;
  --made: #17703a; --known: #1d5fa8; --failed: #b3261e; --skipped: #5b6472; --warning: #7a5200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1e2228; --ink: #e8ebef; --faint: #a0a9b6; --line: #353b45;
    --stage-top: #4c5a6b; --stage-bottom: #647488; --stage-ink: #e8ebef;
    --made: #6fd195; --known: #82b8f5; --failed: #ff9389; --skipped: #a0a9b6; --warning: #f0c060;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: .5rem 0 0; font-size: 1.75rem; line-height: 1.2; }
.about { margin: .25rem 0 1rem; color: var(--faint); }
.filter { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; padding: 0; border: 0; }
.filter legend, .filter input { position: absolute; opacity: 0; pointer-events: none; }
.filter label { padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 2rem; background: var(--card);
  cursor: pointer; }
.filter label:has(:checked) { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; }
.filter label:has(:focus-visible) { outline: 3px solid var(--known); outline-offset: 2px; }
.filter label:has(:disabled) { opacity: .55; cursor: default; }
.made { --tone: var(--made); }
.known { --tone: var(--known); }
.failed { --tone: var(--failed); }
.skipped { --tone: var(--skipped); }
.filter label { color: var(--tone, var(--ink)); }
body:has(#show-made:checked) .card:not(.made),
body:has(#show-known:checked) .card:not(.known),
body:has(#show-failed:checked) .card:not(.failed),
body:has(#show-skipped:checked) .card:not(.skipped) { display: none; }
nav { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--failed); border-radius: .5rem;
  background: var(--card); }
summary { cursor: pointer; }
nav summary { color: var(--failed); font-weight: 600; }
nav ol { margin: .5rem 0 0; padding-inline-start: 2.5rem; }
nav li { margin: .2rem 0; }
nav a { color: inherit; font-weight: 600; }
nav span { color: var(--faint); }
nav p { margin: .5rem 0 0; }
nav.pages { display: flex; flex-wrap: wrap; gap: .25rem .75rem; border-color: var(--line); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: .75rem; margin: 0;
  padding: 0; list-style: none; }
.card { padding: 0 .75rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
  overflow: hidden; font-size: .875rem; content-visibility: auto; contain-intrinsic-size: auto 20rem; }
.card.failed { border-color: var(--failed); }
.card:target { display: block !important; outline: 3px solid var(--failed); outline-offset: 2px; }
.stage { display: flex; gap: .75rem; justify-content: center; align-items: center; height: 10rem; margin: 0 -.75rem .6rem;
  background: linear-gradient(var(--stage-top), var(--stage-bottom)); color: var(--stage-ink); }
.stage img { image-rendering: pixelated; filter: drop-shadow(0 .25rem .25rem rgb(0 0 0 / .35)); }
.card h2 { margin: 0; font-size: 1rem; line-height: 1.3; }
.card p { margin: .2rem 0 0; }
.outcome { color: var(--tone); font-weight: 600; }
.source, .facts, .uuid, .hint { color: var(--faint); }
.uuid, code { font-family: ui-monospace, monospace; font-size: .75rem; }
.error { color: var(--failed); }
.warning { color: var(--warning); }
.copies { display: none; gap: .4rem; }
.scripted .copies { display: flex; flex-wrap: wrap; }
.copy { padding: .15rem .5rem; border: 1px solid var(--line); border-radius: .35rem; background: none; color: inherit;
  font: inherit; font-size: .8rem; cursor: pointer; }
.copy:hover, .copy:focus-visible { border-color: currentColor; }
.data { margin: .3rem 0 0; color: var(--faint); font-size: .8rem; }
.data pre { max-height: 6rem; margin: .3rem 0 0; overflow: auto; white-space: pre-wrap; word-break: break-all;
  user-select: all; font-size: .7rem; }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --faint: #444; --line: #bbb;
    --stage-top: #eee; --stage-bottom: #eee; --stage-ink: #444;
    --made: #17703a; --known: #1d5fa8; --failed: #b3261e; --skipped: #444; --warning: #7a5200; }
  body { padding: 0; max-width: none; }
  .card, nav li { break-inside: avoid; }
  .card { content-visibility: visible; }
  .stage { height: 8.75rem; }
  .copies, .scripted .copies, .data { display: none; }
  .stage img { filter: none; print-color-adjust: exact; }
}
`;

/**
 * The entire script of the HTML report. The page's content security policy allows only this text, by its hash. Without
 * the script, only the buttons are missing.
 */
export const SCRIPT = `
document.documentElement.classList.add('scripted');
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button.copy');
  if (!button) return;
  const text = button.closest('.card').querySelector('.' + button.name).textContent;
  const isCopied = await copy(text);
  const label = button.dataset.label ??= button.textContent;
  button.textContent = isCopied ? 'copied' : 'not copied';
  setTimeout(() => { button.textContent = label; }, 1500);
});
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyAsBefore(text);
  }
}
/* Where a page from a file may not use the clipboard. */
function copyAsBefore(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
`;

const MARK = ' – skinsmith</title>';

/** Entries of a page: browsers become slow with many thousands. */
const PAGE_SIZE = 500;

/**
 * A contact sheet in one file, or in one for every 500 entries: it fetches nothing, and its content security policy
 * forbids everything else. The filter uses radio buttons and `:has()`; browsers without `:has()` show all entries. The
 * only script is for the copy buttons, which are hidden without it.
 */
export const html: ReportFormat = {
  mark: MARK,
  pageSize: PAGE_SIZE,
  head: (summary, failures, page) =>
    documentHead(summary, page) +
    pageHeader(summary, page) +
    failureList(summary, failures, page) +
    cardsStart(summary),
  entry: card,
  foot: `</ul>\n</main>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`,
};

/** Each outcome as a symbol and a word, because many people cannot distinguish the colours. */
const BADGES = {
  made: { sign: '✔', word: 'made' },
  known: { sign: '●', word: 'already known' },
  failed: { sign: '✘', word: 'failed' },
  skipped: { sign: '–', word: 'skipped' },
} satisfies Record<EntryOutcome, { sign: string; word: string }>;

function documentHead(summary: ReportSummary, page: ReportPage | undefined): string {
  const policy = `default-src 'none'; img-src data:; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${titleOf(summary)}${page ? `, page ${page.number} of ${page.count}` : ''}${MARK}
<style>${STYLE}</style>
</head>
<body>
`;
}

/** The hash by which a content security policy allows a text. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function titleOf({ total, failed }: ReportSummary): string {
  const skins = total === 1 ? '1 skin' : `${count(total)} skins`;
  return failed === 0 ? skins : `${skins}, ${count(failed)} failed`;
}

function pageHeader(summary: ReportSummary, page: ReportPage | undefined): string {
  const { started, timeZone } = summary;
  const shown: Record<EntryOutcome, number> = page?.entries ?? summary;
  const all = Object.keys(BADGES).reduce((sum, outcome) => sum + shown[outcome as EntryOutcome], 0);
  const time = `<time datetime="${started.toISOString()}">${localTime(started, timeZone)}</time>`;
  return `<header>
<h1>${titleOf(summary)}</h1>
<p class="about">${time} · took ${duration(summary.seconds)} · <bdi>${markupText(summary.service)}</bdi></p>
<fieldset class="filter">
<legend>Show</legend>
<label class="all"><input type="radio" name="show" id="show-all" checked> all <b>${count(page ? all : summary.total)}</b></label>
${(Object.keys(BADGES) as EntryOutcome[]).map((outcome) => filterChoice(outcome, shown[outcome])).join('\n')}
</fieldset>
</header>
${page ? pageLinks(page) : ''}`;
}

function pageLinks({ number, count: pages, nameOf }: ReportPage): string {
  const links = Array.from({ length: pages }, (_, index) =>
    index + 1 === number
      ? `<b aria-current="page">${count(number)}</b>`
      : `<a href="${addressOf(nameOf(index + 1))}">${count(index + 1)}</a>`,
  );
  return `<nav class="pages" aria-label="Pages">Page ${links.join(' ')}</nav>\n`;
}

function addressOf(fileName: string): string {
  return `./${encodeURIComponent(fileName)}`;
}

/** `4 March 2026 at 05:06 UTC`. */
function localTime(time: Date, timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return markupText(format.format(time));
}

function filterChoice(outcome: EntryOutcome, number: number): string {
  const { sign, word } = BADGES[outcome];
  const input = `<input type="radio" name="show" id="show-${outcome}"${number === 0 ? ' disabled' : ''}>`;
  return `<label class="${outcome}">${input} ${hiddenSign(sign)} ${word} <b>${count(number)}</b></label>`;
}

/** On the first page. */
function failureList(
  { failed }: ReportSummary,
  failures: readonly NumberedFailure[],
  page: ReportPage | undefined,
): string {
  if (failures.length === 0 || (page && page.number > 1)) return '';
  const more = failed - failures.length;
  const where = page ? 'choose “failed” on each page' : 'choose “failed” above to see them all';
  const rest = more > 0 ? `<p>And ${count(more)} more: ${where}.</p>\n` : '';
  return `<nav aria-label="Failures">
<details open>
<summary>${count(failed)} failed</summary>
<ol>
${failures.map((failure) => failureItem(failure, page)).join('\n')}
</ol>
${rest}</details>
</nav>
`;
}

function failureItem({ number, entry }: NumberedFailure, page: ReportPage | undefined): string {
  const on = Math.ceil(number / PAGE_SIZE);
  const address = page && on !== page.number ? addressOf(page.nameOf(on)) : '';
  const link = `<a href="${address}#skin-${number}"><bdi>${markupText(entry.source)}</bdi></a>`;
  return `<li>${link} <span>${markupText(entry.error?.message ?? '')}</span></li>`;
}

function cardsStart({ total }: ReportSummary): string {
  const nothing = total === 0 ? '<p>There was nothing to do.</p>\n' : '';
  return `<main>\n${nothing}<ul class="cards">\n`;
}

function card(entry: ReportEntry, number: number): string {
  const { sign, word } = BADGES[entry.outcome];
  return `<li class="card ${entry.outcome}" id="skin-${number}">
<div class="stage">${pictures(entry)}</div>
<h2 dir="auto">${markupText(entry.name ?? entry.source)}</h2>
<p class="outcome">${hiddenSign(sign)} ${word}</p>
${[...facts(entry), ...copies(entry), ...trouble(entry)].join('\n')}
</li>
`;
}

function pictures({ figure, name, source }: ReportEntry): string {
  if (figure === undefined) return '<span>no picture</span>';
  const called = name ?? source;
  return picture(figure.front, `Front of ${called}`) + picture(figure.back, `Back of ${called}`);
}

function picture(png: Uint8Array, alt: string): string {
  const data = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64');
  return `<img src="data:image/png;base64,${data}" width="64" height="128" alt="${markupText(alt)}">`;
}

function copies({ data }: ReportEntry): string[] {
  if (!data) return [];
  return [
    '<p class="copies"><button type="button" class="copy" name="value">copy value</button>' +
      '<button type="button" class="copy" name="command">copy command</button></p>',
    `<details class="data"><summary>value and command</summary><pre class="value">${markupData(data.value)}</pre>` +
      `<pre class="command">${markupData(data.command)}</pre></details>`,
  ];
}

function facts({ name, source, variant, seconds, uuid }: ReportEntry): string[] {
  const short = [variant, seconds === undefined ? undefined : duration(seconds)].flatMap((text) =>
    text === undefined ? [] : [markupText(text)],
  );
  return [
    ...(name === undefined ? [] : [`<p class="source" dir="auto">${markupText(source)}</p>`]),
    ...(short.length === 0 ? [] : [`<p class="facts">${short.join(' · ')}</p>`]),
    ...(uuid === undefined ? [] : [`<p class="uuid">${markupText(uuid)}</p>`]),
  ];
}

function trouble({ error, warnings }: ReportEntry): string[] {
  return [
    ...(error
      ? [`<p class="error">${markupText(error.message)} <code>${markupText(error.code)}</code></p>`]
      : []),
    ...(error?.hint === undefined ? [] : [`<p class="hint">${markupText(error.hint)}</p>`]),
    ...warnings.map(({ message }) => `<p class="warning">${hiddenSign('⚠')} ${markupText(message)}</p>`),
  ];
}

/** A symbol that screen readers skip. */
function hiddenSign(sign: string): string {
  return `<span aria-hidden="true">${sign}</span>`;
}

function duration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`; // above this, it would round to 60.0
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
