import type { Page } from '../frame/page.ts';
import { terminalOf } from '../frame/terminal.ts';
import { html } from '../html/html.ts';
import { type FormMaker, FROM, type From, makeForm } from './make-form.ts';

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

export interface MakeView {
  readonly from: From;
  readonly maker: FormMaker;
  readonly origin: string;
}

export function makePage({ from, maker, origin }: MakeView): Page {
  return {
    title: 'Make a skin',
    body: html`<nav class="tabs" aria-label="What to make it from">
${FROM.map((one) => html`<a href="/ui/make?from=${one}"${one === from && html` aria-current="page"`}>${NAMES[one]}</a>`)}
</nav>
${makeForm(from, maker)}`,
    terminal: terminalOf(`skinsmith generate ${SOURCES[from]}`, origin, '/v2/generate', `-F ${FIELDS[from]}`),
  };
}
