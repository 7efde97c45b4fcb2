import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { html, type ReportEntry, type ReportSummary } from '../../../../../src/cli/output/reports/report.ts';
import {
  failed,
  HOSTILE,
  hostileEntry,
  known,
  made,
  makeSummary,
  skipped,
} from '../../../../support/cli/report-entries.ts';

const all = makeSummary({ total: 4, made: 1, known: 1, failed: 1, skipped: 1 });

function render(entries: readonly ReportEntry[], summary: ReportSummary = all): string {
  const failures = entries
    .map((entry, index) => ({ entry, number: index + 1 }))
    .filter(({ entry }) => entry.outcome === 'failed');
  const cards = entries.map((entry, index) => html.entry(entry, index + 1));
  return [html.head(summary, failures), ...cards, html.foot].join('');
}

/** Names of all tags that open, in order. */
function tagsOf(document: string): string[] {
  return [...document.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag!.toLowerCase());
}

describe('a contact sheet', () => {
  test('says in its title and its head how many skins there are of each kind', () => {
    const document = render([made, known, failed, skipped]);
    expect(document).toContain('<title>4 skins, 1 failed – skinsmith</title>');
    expect(document).toContain('<h1>4 skins, 1 failed</h1>');
    const summary = makeSummary({ total: 1234, made: 1000, known: 200, failed: 30, skipped: 4 });
    const head = html.head(summary, []);
    expect(
      [...head.matchAll(/([a-z ]+) <b>([\d,]+)<\/b>/g)].map(([, word, count]) => `${word}:${count}`),
    ).toEqual([' all:1,234', ' made:1,000', ' already known:200', ' failed:30', ' skipped:4']);
    expect(head).toContain('<h1>1,234 skins, 30 failed</h1>');
    expect(html.head(makeSummary({ total: 1, made: 1 }), [])).toContain('<h1>1 skin</h1>');
  });

  test('says when the run was, how long it took and which service answered', () => {
    expect(render([])).toContain(
      '<p class="about"><time datetime="2026-03-04T05:06:07.000Z">4 March 2026 at 05:06 UTC</time> · took 1 min 23 s · <bdi>https://service.example</bdi></p>',
    );
  });

  test('has the local time of where it was made, and the exact time for programs', () => {
    const head = html.head(makeSummary({ timeZone: 'Asia/Kolkata' }), []);
    expect(head).toContain('<time datetime="2026-03-04T05:06:07.000Z">4 March 2026 at 10:36 GMT+5:30</time>');
  });

  test('has no data to copy for failures, and long data in full', () => {
    expect(html.entry(failed, 1)).not.toContain('copy');
    const value = 'x'.repeat(5_000);
    expect(html.entry({ ...made, data: { value, command: 'give' } }, 1)).toContain(value);
  });

  test.each([
    [0, '0.0 s'],
    [59.94, '59.9 s'],
    [59.99, '1 min 0 s'],
    [60, '1 min 0 s'],
    [3599.7, '1 h 0 min'],
    [7384, '2 h 3 min'],
  ])('shows %s seconds as %s', (seconds, text) => {
    expect(html.head(makeSummary({ seconds }), [])).toContain(`took ${text} ·`);
  });

  test('has a card for each skin that was made, with its picture', () => {
    expect(html.entry(made, 7)).toBe(`<li class="card made" id="skin-7">
<div class="stage"><img src="data:image/png;base64,AQID+g==" width="64" height="128" alt="Front of Knight"><img src="data:image/png;base64,CQ==" width="64" height="128" alt="Back of Knight"></div>
<h2 dir="auto">Knight</h2>
<p class="outcome"><span aria-hidden="true">✔</span> made</p>
<p class="source" dir="auto">heroes/Knight.png</p>
<p class="facts">slim · 1.3 s</p>
<p class="uuid">c891dfac4cd247a2a55743e7e82ce76f</p>
<p class="copies"><button type="button" class="copy" name="value">copy value</button><button type="button" class="copy" name="command">copy command</button></p>
<details class="data"><summary>value and command</summary><pre class="value">dmFsdWU=</pre><pre class="command">give @p minecraft:player_head[custom_name={text:&quot;Knight&quot;}]</pre></details>
</li>
`);
  });

  test('has a card for each failure, with what to do about it', () => {
    expect(html.entry(failed, 3)).toBe(`<li class="card failed" id="skin-3">
<div class="stage"><span>no picture</span></div>
<h2 dir="auto">Broken.png</h2>
<p class="outcome"><span aria-hidden="true">✘</span> failed</p>
<p class="facts">0.5 s</p>
<p class="error">It is no PNG. <code>invalid_image</code></p>
<p class="hint">Save it again.</p>
</li>
`);
  });

  test('distinguishes known, skipped and warned skins from made and failed ones', () => {
    expect(html.entry(known, 1)).toContain(
      '<p class="outcome"><span aria-hidden="true">●</span> already known</p>',
    );
    expect(html.entry(known, 1)).toContain(
      '<p class="warning"><span aria-hidden="true">⚠</span> This is the old format.</p>',
    );
    expect(html.entry(skipped, 1)).toContain(
      '<p class="outcome"><span aria-hidden="true">–</span> skipped</p>',
    );
  });

  test('lists failures before everything else, linked to their cards', () => {
    const document = render([made, failed, { ...failed, source: 'Other.png' }]);
    const list = /<nav[\s\S]*<\/nav>/.exec(document)?.[0] ?? '';
    const targets = [...list.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets).toEqual(['skin-2', 'skin-3']);
    for (const id of targets) expect(document).toContain(`<li class="card failed" id="${id}">`);
    expect(document.indexOf('<nav')).toBeLessThan(document.indexOf('<main'));
    expect(list).toContain('<bdi>Other.png</bdi></a> <span>It is no PNG.</span>');
    expect(list).not.toContain('more');
  });

  test('says how many failures its list leaves out, and has no list without failures', () => {
    const head = html.head(makeSummary({ total: 9, failed: 9 }), [{ number: 1, entry: failed }]);
    expect(head).toContain('<summary>9 failed</summary>');
    expect(head).toContain('And 8 more');
    expect(render([made])).not.toContain('<nav');
  });

  test('says so when there was nothing to do, and offers no empty filters', () => {
    const document = render([], makeSummary());
    expect(document).toContain('There was nothing to do.');
    expect(document.match(/ disabled>/g)).toHaveLength(4);
    expect(render([made])).not.toContain('There was nothing to do.');
  });
});

describe('the page of a contact sheet', () => {
  test('allows only its own style, script and pictures, before anything else', () => {
    const document = render([made]);
    const style = /<style>([\s\S]*)<\/style>/.exec(document)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const script = /<script>([\s\S]*)<\/script>/.exec(document)?.[1] ?? '';
    const scriptHash = createHash('sha256').update(script).digest('base64');
    expect(style).toContain('prefers-color-scheme: dark');
    expect(document.split('\n').slice(3, 5)).toEqual([
      '<meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'">`,
    ]);
  });

  test('fetches nothing, and runs only the script that copies', () => {
    const document = render([made, known, failed, skipped]);
    expect(tagsOf(document).filter((tag) => tag === 'script')).toHaveLength(1);
    expect(document).not.toMatch(/<script[^>]|\son[a-z]+=|fetch\(|XMLHttpRequest|import\(/);
    expect(tagsOf(document)).not.toEqual(expect.arrayContaining(['link']));
    const addresses = [...document.matchAll(/\b(?:src|href|action|srcset)="([^"]*)"/g)].map(([, url]) => url);
    expect(addresses).toEqual(['#skin-3', 'data:image/png;base64,AQID+g==', 'data:image/png;base64,CQ==']);
    expect(document).not.toMatch(/url\(|@import|\sstyle=/);
  });

  test('closes every element that it opens', () => {
    const document = render([made, known, failed, skipped]).replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
    const open: string[] = [];
    for (const [, slash, tag] of document.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (slash) expect(open.pop()).toBe(tag);
      else if (!['meta', 'input', 'img'].includes(tag!)) open.push(tag!);
    }
    expect(open).toEqual([]);
  });

  test.each(HOSTILE)('holds no tag, attribute or control character of %j', (text) => {
    const plain = render([hostileEntry('x')], makeSummary({ total: 1, failed: 1, service: 'x' }));
    const hostile = render([hostileEntry(text)], makeSummary({ total: 1, failed: 1, service: text }));
    expect(tagsOf(hostile)).toEqual(tagsOf(plain));
    expect(hostile.match(/["']/g)).toEqual(plain.match(/["']/g));
    expect(hostile.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });
});
