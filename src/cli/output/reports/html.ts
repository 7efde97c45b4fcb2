import { createHash } from 'node:crypto';
import { STYLE } from './html-style.ts';
import { markupText } from './markup.ts';
import type { NumberedFailure, Outcome, Report, ReportEntry, ReportSummary } from './report.ts';

/**
 * A contact sheet in one file: no script, nothing fetched, and a policy that lets nothing else happen. Its
 * filter is made of radio buttons and `:has()`; where that is unknown, everything is shown.
 */
export const html: Report = {
  head: (summary, failures) =>
    documentHead(summary) + pageHeader(summary) + failureList(summary, failures) + cardsStart(summary),
  entry: card,
  foot: '</ul>\n</main>\n</body>\n</html>\n',
};

/** Each outcome as a sign and a word: colour alone says nothing to many. */
const BADGES = {
  made: { sign: '✔', word: 'made' },
  known: { sign: '●', word: 'known already' },
  failed: { sign: '✘', word: 'failed' },
  skipped: { sign: '–', word: 'skipped' },
} satisfies Record<Outcome, { sign: string; word: string }>;

function documentHead(summary: ReportSummary): string {
  const styleHash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${titleOf(summary)} – skinsmith</title>
<style>${STYLE}</style>
</head>
<body>
`;
}

function titleOf({ total, failed }: ReportSummary): string {
  const skins = total === 1 ? '1 skin' : `${total} skins`;
  return failed === 0 ? skins : `${skins}, ${failed} failed`;
}

function pageHeader(summary: ReportSummary): string {
  const started = summary.started.toISOString();
  const time = `<time datetime="${started}">${started.slice(0, 16).replace('T', ' ')} UTC</time>`;
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
<div class="stage">${picture(entry)}</div>
<h2 dir="auto">${markupText(entry.name ?? entry.source)}</h2>
<p class="outcome">${hiddenSign(sign)} ${word}</p>
${[...facts(entry), ...trouble(entry)].join('\n')}
</li>
`;
}

function picture({ front, name, source }: ReportEntry): string {
  if (front === undefined) return '<span>no picture</span>';
  const data = Buffer.from(front.buffer, front.byteOffset, front.byteLength).toString('base64');
  const alt = `Front of ${name ?? source}`;
  return `<img src="data:image/png;base64,${data}" width="80" height="160" alt="${markupText(alt)}">`;
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

/** A sign that is read out as no word of its own. */
function hiddenSign(sign: string): string {
  return `<span aria-hidden="true">${sign}</span>`;
}

function duration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`; // beyond, it would round to 60.0
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
