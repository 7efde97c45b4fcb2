import type { ReportEntry, ReportSummary } from '../../../src/cli/output/reports/report.ts';

/** Results as a batch has them, and what a report says of them all. */

export const made: ReportEntry = {
  source: 'heroes/Knight.png',
  name: 'Knight',
  variant: 'slim',
  uuid: 'c891dfac4cd247a2a55743e7e82ce76f',
  outcome: 'made',
  seconds: 1.25,
  warnings: [],
  figure: { front: Uint8Array.of(1, 2, 3, 250), back: Uint8Array.of(9) },
  data: { value: 'dmFsdWU=', command: 'give @p minecraft:player_head[custom_name={text:"Knight"}]' },
};

export const known: ReportEntry = {
  source: 'Smith.png',
  name: 'Smith',
  variant: 'classic',
  uuid: 'aa11',
  outcome: 'known',
  warnings: [{ code: 'legacy_format', message: 'This is the old format.' }],
};

export const failed: ReportEntry = {
  source: 'Broken.png',
  outcome: 'failed',
  seconds: 0.5,
  error: { code: 'invalid_image', message: 'It is no PNG.', hint: 'Save it again.' },
  warnings: [],
};

export const skipped: ReportEntry = { source: 'Late.png', outcome: 'skipped', warnings: [] };

export function makeSummary(counts: Partial<ReportSummary> = {}): ReportSummary {
  return {
    total: 0,
    made: 0,
    known: 0,
    failed: 0,
    skipped: 0,
    seconds: 83.4,
    started: new Date('2026-03-04T05:06:07Z'),
    timeZone: 'UTC',
    service: 'https://service.example',
    ...counts,
  };
}

/** Texts that would do something if they were not escaped, or that a document must not hold at all. */
export const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  ']]>',
  '<![CDATA[',
  '--><!--',
  '&lt;&#0;&amp',
  'a\u0000b\u0008c\u001b[2Jd\u009be',
  'half \ud83d and \udc00',
  '\ufffe\uffff',
  'tab\tline\r\nbreak\u2028',
  'gnp.\u202ecod',
  '</style></title></textarea>',
  '🗡 Zoë 骑士',
];

/** An entry in which every text from outside is `text`. */
export function hostileEntry(text: string, outcome: ReportEntry['outcome'] = 'failed'): ReportEntry {
  return {
    source: text,
    name: text,
    variant: text,
    uuid: text,
    outcome,
    error: { code: text, message: text, hint: text },
    warnings: [{ code: text, message: text }],
    figure: { front: Uint8Array.of(0), back: Uint8Array.of(0) },
    data: { value: text, command: text },
  };
}
