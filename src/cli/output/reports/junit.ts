import { markupText, type ReportEntry, type ReportFormat, type ReportSummary } from './report.ts';

const MARK = '<testsuite name="skinsmith"';

/**
 * JUnit XML as CI services read it (https://github.com/testmoapp/junitxml): one suite, with one case per source. The
 * case's output contains whether the skin was made or known, its uuid, and its warnings.
 */
export const junit: ReportFormat = {
  mark: MARK,
  head: (summary) => {
    const counts = countAttributes(summary);
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${counts}>`,
      `  ${MARK} ${counts} timestamp="${summary.started.toISOString()}">`,
      `    <properties><property name="service" value="${markupText(summary.service)}"/></properties>`,
      '',
    ].join('\n');
  },
  entry: (entry) => {
    const name = `classname="skinsmith" name="${markupText(entry.source)}"`;
    const lines = [...outcomeLines(entry), ...outputLines(entry)].map((line) => `      ${line}\n`);
    return `    <testcase ${name} time="${seconds(entry.seconds)}">\n${lines.join('')}    </testcase>\n`;
  },
  foot: '  </testsuite>\n</testsuites>\n',
};

function countAttributes({ total, failed, skipped, seconds: time }: ReportSummary): string {
  return `tests="${total}" failures="${failed}" errors="0" skipped="${skipped}" time="${seconds(time)}"`;
}

function seconds(time = 0): string {
  return time.toFixed(3);
}

function outcomeLines({ outcome, error }: ReportEntry): string[] {
  const message = markupText(error?.message ?? '');
  if (outcome === 'skipped') return [error ? `<skipped message="${message}"/>` : '<skipped/>'];
  if (outcome !== 'failed') return [];
  const hint = error?.hint === undefined ? '' : `\nhint: ${markupText(error.hint)}`;
  const type = markupText(error?.code ?? 'failed');
  return [`<failure message="${message}" type="${type}">${message}${hint}</failure>`];
}

function outputLines({ outcome, name, variant, uuid, warnings }: ReportEntry): string[] {
  const facts = Object.entries({ outcome, name, variant, uuid }).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}: ${markupText(text)}`],
  );
  const remarks = warnings.map(({ code, message }) => `warning: ${markupText(`${message} (${code})`)}`);
  return [`<system-out>${[...facts, ...remarks].join('\n')}</system-out>`];
}
