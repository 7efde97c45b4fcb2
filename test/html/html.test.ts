import { expect, test } from 'vitest';
import { escapeHtml, Html, html } from '../../src/html/html.ts';

/** What people try to get onto a page. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '` onfocus=alert(1) autofocus `',
  '<svg/onload=alert(1)>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '</textarea><b>',
  '<plaintext>',
  '&lt;script&gt;',
  '&#60;b&#62;',
  '\u0000<b>',
  '\ud800<b>',
  '\u007f\u0085',
  '<\u0000script>',
  '<a href="javascript:alert(1)">',
];

test.each(HOSTILE)('%j is text on a page', (hostile) => {
  const page = html`<p title="${hostile}">${hostile}</p>`.toString();
  const [, title, text] = /^<p title="([^"]*)">(.*)<\/p>$/s.exec(page)!;
  for (const part of [title!, text!]) {
    expect(part).not.toMatch(/[<>"'`]/);
    expect(part.replace(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&');
    expect(part.isWellFormed()).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(part).not.toMatch(/[\u0000-\u0008\u007f-\u009f]/);
  }
});

test('Templates nest, lists join, and absent values leave nothing', () => {
  const items = ['a', '<b>'].map((name) => html`<li>${name}</li>`);
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}`.toString()).toBe(
    '<ul><li>a</li><li>&lt;b&gt;</li></ul>0',
  );
});

test('Only text that was marked as safe stays unescaped', () => {
  expect(html`${Html.unescaped('<br>')}${'<br>'}`.toString()).toBe('<br>&lt;br&gt;');
});

test('A value without quotes around it, in a comment or as a name is a bug', () => {
  expect(() => html`<p title=${'a'}>`).toThrow('needs quotes');
  expect(() => html`<p id="${'a'}" title=${html`a`}>`).toThrow('needs quotes');
  expect(html`<p title="a=${'b'}">c=${'d'}</p>`.toString()).toBe('<p title="a=b">c=d</p>');
  expect(() => html`<p ${'onclick=alert(1)'}>`).toThrow('inside a tag');
  expect(() => html`<p title="${'a'}" ${'hidden'}>`).toThrow('inside a tag');
  expect(html`<p title="${'a'}"${html` hidden`}>`.toString()).toBe('<p title="a" hidden>');
  expect(() => html`<!-- ${'a'} -->`).toThrow('must not follow');
  expect(() => html`<${'a'}>`).toThrow('must not follow');
  expect(() => html`</${'a'}>`).toThrow('must not follow');
});

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,a',
  'vbscript:a',
  '//example.com',
  '/\\example.com',
  '/\t/example.com',
  '\\\\example.com',
  '',
  'blob:a',
])('%j is no address', (address) => {
  expect(() => html`<a href="${address}">`).toThrow('address');
  expect(() => html`<form action="${address}">`).toThrow('address');
});

test.each(['/ui/skins', 'https://example.com/a?b&c', '#top', '?page=2'])('%j is an address', (address) => {
  expect(html`<a href="${address}">`.toString()).toBe(`<a href="${escapeHtml(address)}">`);
});
