import { createHash } from 'node:crypto';
import { SCRIPT } from './html-script.ts';
import { STYLE } from './html-style.ts';
import { markupData, markupText } from './markup.ts';
import type { NumberedFailure, Outcome, Report, ReportEntry, ReportSummary } from './report.ts';

const MARK = ' – skinsmith</title>';

/**
 * A contact sheet in one file: it fetches nothing, and its content security policy forbids everything else. The filter
 * uses radio buttons and `:has()`; browsers without `:has()` show all entries. The only script is for the copy buttons,
 * which are hidden without it.
 */
export const html: Report = {
  mark: MARK,
  head: (summary, failures) =>
    documentHead(summary) + pageHeader(summary) + failureList(summary, failures) + cardsStart(summary),
  entry: card,
  foot: `</ul>\n</main>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`,
};

/** Each outcome as a symbol and a word, because many people cannot distinguish the colours. */
const BADGES = {
  made: { sign: '✔', word: 'made' },
  known: { sign: '●', word: 'already known' },
  failed: { sign: '✘', word: 'failed' },
  skipped: { sign: '–', word: 'skipped' },
} satisfies Record<Outcome, { sign: string; word: string }>;

function documentHead(summary: ReportSummary): string {
  const policy = `default-src 'none'; img-src data:; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${titleOf(summary)}${MARK}
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
  const skins = total === 1 ? '1 skin' : `${total} skins`;
  return failed === 0 ? skins : `${skins}, ${failed} failed`;
}

function pageHeader(summary: ReportSummary): string {
  const { started, timeZone } = summary;
  const time = `<time datetime="${started.toISOString()}">${localTime(started, timeZone)}</time>`;
  return `<header>
<h1>${titleOf(summary)}</h1>
<p class="about">${time} · took ${duration(summary.seconds)} · <bdi>${markupText(summary.service)}</bdi></p>
<fieldset class="filter">
<legend>Show</legend>
<label class="all"><input type="radio" name="show" id="show-all" checked> all <b>${summary.total}</b></label>
${(Object.keys(BADGES) as Outcome[]).map((outcome) => filterChoice(outcome, summary[outcome])).join('\n')}
</fieldset>
</header>
`;
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

function filterChoice(outcome: Outcome, count: number): string {
  const { sign, word } = BADGES[outcome];
  const input = `<input type="radio" name="show" id="show-${outcome}"${count === 0 ? ' disabled' : ''}>`;
  return `<label class="${outcome}">${input} ${hiddenSign(sign)} ${word} <b>${count}</b></label>`;
}

function failureList({ failed }: ReportSummary, failures: readonly NumberedFailure[]): string {
  if (failures.length === 0) return '';
  const more = failed - failures.length;
  const rest = more > 0 ? `<p>And ${more} more: choose “failed” above to see them all.</p>\n` : '';
  return `<nav aria-label="Failures">
<details open>
<summary>${failed} failed</summary>
<ol>
${failures.map(failureItem).join('\n')}
</ol>
${rest}</details>
</nav>
`;
}

function failureItem({ number, entry }: NumberedFailure): string {
  const link = `<a href="#skin-${number}"><bdi>${markupText(entry.source)}</bdi></a>`;
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
