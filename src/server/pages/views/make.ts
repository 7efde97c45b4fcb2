import type { Page } from '../frame/page.ts';
import { terminalOf } from '../frame/terminal.ts';
import { html } from '../html/html.ts';
import { FROM, type From, makeForm } from './make-form.ts';

const NAMES: Readonly<Record<From, string>> = { file: 'Picture', url: 'Address', player: 'Player' };

const SOURCES: Readonly<Record<From, string>> = {
  file: 'skin.png',
  url: 'https://example.com/skin.png',
  player: 'jeb_',
};
const FIELDS: Readonly<Record<From, string>> = {
  file: 'file=@skin.png',
  url: 'url=https://example.com/skin.png',
  player: 'user=jeb_',
};

export function makePage({ from, origin }: { readonly from: From; readonly origin: string }): Page {
  return {
    title: 'Make a skin',
    body: html`<nav class="tabs" aria-label="What to make it from">
${FROM.map((one) => html`<a href="/ui/make?from=${one}"${one === from && html` aria-current="page"`}>${NAMES[one]}</a>`)}
</nav>
${makeForm(from)}`,
    terminal: terminalOf(`skinsmith generate ${SOURCES[from]}`, origin, '/v2/generate', `-F ${FIELDS[from]}`),
  };
}
