import { describe, expect, test } from 'vitest';
import type { ReportEntry, ReportSummary } from '../../../../../src/cli/output/reports/report.ts';
import { junit } from '../../../../../src/cli/output/reports/writer.ts';
import {
  failed,
  HOSTILE,
  hostileEntry,
  known,
  made,
  makeSummary,
  skipped,
} from '../../../../support/cli/report-entries.ts';
import { parseXml, type XmlElement } from '../../../../support/cli/xml.ts';

function render(entries: readonly ReportEntry[], summary: ReportSummary = makeSummary()): string {
  const cases = entries.map((entry, index) => junit.entry(entry, index + 1));
  return [junit.head(summary, []), ...cases, junit.foot].join('');
}

function casesOf(document: string): XmlElement[] {
  return parseXml(document).children[0]!.children.filter(({ tag }) => tag === 'testcase');
}

function find(element: XmlElement, tag: string): XmlElement | undefined {
  return element.children.find((child) => child.tag === tag);
}

describe('a JUnit report', () => {
  test('is one suite with a case for each source', () => {
    const summary = makeSummary({ total: 4, made: 1, known: 1, failed: 1, skipped: 1 });
    expect(render([made, known, failed, skipped], summary)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="0" skipped="1" time="83.400">
  <testsuite name="skinsmith" tests="4" failures="1" errors="0" skipped="1" time="83.400" timestamp="2026-03-04T05:06:07.000Z">
    <properties><property name="service" value="https://service.example"/></properties>
    <testcase classname="skinsmith" name="heroes/Knight.png" time="1.250">
      <system-out>outcome: made
name: Knight
variant: slim
uuid: c891dfac4cd247a2a55743e7e82ce76f</system-out>
    </testcase>
    <testcase classname="skinsmith" name="Smith.png" time="0.000">
      <system-out>outcome: known
name: Smith
variant: classic
uuid: aa11
warning: This is the old format. (legacy_format)</system-out>
    </testcase>
    <testcase classname="skinsmith" name="Broken.png" time="0.500">
      <failure message="It is no PNG." type="invalid_image">It is no PNG.
hint: Save it again.</failure>
      <system-out>outcome: failed</system-out>
    </testcase>
    <testcase classname="skinsmith" name="Late.png" time="0.000">
      <skipped/>
      <system-out>outcome: skipped</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  test('says why a source was skipped, where that is known', () => {
    const error = { code: 'interrupted', message: 'Ctrl-C was pressed.' };
    const [late] = casesOf(render([{ ...skipped, error }]));
    expect(find(late!, 'skipped')?.attributes).toEqual({ message: 'Ctrl-C was pressed.' });
  });

  test('has a failure even when nothing is known about it', () => {
    const [broken] = casesOf(render([{ source: 'x', outcome: 'failed', warnings: [] }]));
    expect(find(broken!, 'failure')?.attributes).toEqual({ message: '', type: 'failed' });
  });

  test.each(HOSTILE)('is well-formed with %j everywhere', (text) => {
    const document = render(
      [hostileEntry(text), hostileEntry(text, 'skipped'), hostileEntry(text, 'made')],
      makeSummary({ service: text }),
    );
    const cases = casesOf(document);
    expect(cases.map((one) => one.children.map(({ tag }) => tag))).toEqual([
      ['failure', 'system-out'],
      ['skipped', 'system-out'],
      ['system-out'],
    ]);
  });

  test('keeps every text, except for characters that XML forbids', () => {
    const [first, second] = casesOf(
      render([hostileEntry(`<a href="x">&amp;]]>'🗡`), hostileEntry('a\u0000b\ufffe\ud83dc\nd')]),
    );
    expect(first!.attributes.name).toBe(`<a href="x">&amp;]]>'🗡`);
    expect(find(first!, 'failure')?.attributes.message).toBe(`<a href="x">&amp;]]>'🗡`);
    expect(second!.attributes.name).toBe('abc d');
  });

  test('shortens very long texts', () => {
    const [one] = casesOf(render([{ ...failed, source: 'x'.repeat(100_000) }]));
    expect(one!.attributes.name).toBe(`${'x'.repeat(2_000)}…`);
  });
});

describe('the XML reader of these tests', () => {
  test.each([
    '<a><b></a></b>',
    '<a>',
    '<a>]]></a>',
    '<a>&</a>',
    '<a>&nbsp;</a>',
    '<a x=1/>',
    '<a x="<"/>',
    '<a x="1" x="2"/>',
    '<a/><b/>',
    '<a>\u0000</a>',
    '<a>\ud83d</a>',
  ])('rejects %j', (document) => {
    expect(() => parseXml(document)).toThrow();
  });
});
