import { type Html, html } from '../html/html.ts';

/** Copies a text. Hidden until the page's script can do it. */
export function copyButton(text: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" aria-label="${label}" hidden>Copy</button>`;
}

/** A text to copy, with its name. */
export function copyField(name: string, text: string): Html {
  return html`<div class="field"><dt>${name}</dt><dd class="line"><pre tabindex="0"><code>${text}</code></pre>${copyButton(text, `Copy: ${name}`)}</dd></div>`;
}
