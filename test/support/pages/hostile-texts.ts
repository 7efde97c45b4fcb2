/** Texts that would be elements, attributes or scripts on a page that took them for anything but text. */
export const MARKUP_TEXTS: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '` onmouseover=alert(1) `',
  '</title></textarea></style><svg onload=alert(1)>',
  '<!--<iframe srcdoc="<script>alert(1)</script>">',
  ']]><![CDATA[<b>bold</b>',
  'javascript:alert(1)//',
];

/** These, and others that would confuse. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...MARKUP_TEXTS,
  '\u0024{alert(1)}{{constructor.constructor("alert(1)")()}}',
  '&lt;script&gt;&#x3c;b&#x3e;&amp;',
  '\u202egnp.exe\u202c \u2066mixed\u2069 \u200f\u200e',
  '\u0000\u0007\u001b[31m\u0085\u009b0m\u007f',
  'a\u0300\u0301\u0302\u0303\u0304'.repeat(8),
  '%00%3Cscript%3E../../..//evil.example/\\evil.example',
  `${'W'.repeat(2_000)}`,
  'http-equiv=refresh content=0;url=//evil.example',
];
