import { transliterated } from '../../base/transliteration.ts';
import { skinNameFrom } from '../../protocol/skin-name.ts';
import type { Picture } from '../../skin/picture.ts';
import type { Variant } from '../../skin/regions.ts';
import { drawFlat, FIGURE } from '../../skin/render/flat.ts';
import { element } from './element.ts';
import { say } from './language.ts';

/** The row that shows one picture: what is known about it, its name, its progress and its result. It is called after a file, an address or a player. */
export class ResultRow {
  readonly about: string;
  readonly element = element('li');
  readonly #canvas = element('canvas', FIGURE);
  readonly #title: HTMLElement;
  readonly #state = element('span', { className: 'state' });
  readonly #notes = element('ul', { className: 'quiet notes' });
  readonly #name: HTMLInputElement;
  readonly #actions = element('div', { className: 'actions' });
  #isDrawn = false;

  constructor(about: string) {
    this.about = about;
    this.#title = element('strong', { className: 'title' }, about);
    this.#name = element('input', {
      value: nameAfter(about),
      maxLength: 48,
      pattern: '[A-Za-z0-9_.\\- ]+',
      title: say('Only A–Z, a–z, 0–9, spaces, _ . and -'),
      placeholder: say('No name'),
      autocomplete: 'off',
      ariaLabel: say('Name of {0}', about),
    });
    const text = element('div', {}, this.#title, this.#state, this.#notes, this.#actions);
    this.element.append(this.#canvas, text);
  }

  /** The name to give the skin. */
  get name(): string {
    return this.#name.value.trim();
  }

  /** Shows the skin from the front. */
  draw(picture: Picture, variant: Variant): void {
    this.#isDrawn = true;
    const { pixels, width, height } = drawFlat(picture, variant, 'front');
    this.#canvas
      .getContext('2d')
      ?.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  }

  say(state: string): void {
    this.element.classList.remove('bad');
    this.#state.className = 'state';
    this.#state.replaceChildren(state);
  }

  /** The picture waits to be sent, and keeps its name. */
  wait(): void {
    this.say(say('Queued'));
    this.note([]);
    this.offer([]);
  }

  fail(reason: string): void {
    this.element.classList.add('bad');
    this.#state.className = 'state problem';
    this.#state.replaceChildren(reason);
  }

  /** Shows warnings, which are not errors. */
  note(notes: readonly string[]): void {
    this.#notes.replaceChildren(...notes.map((note) => element('li', {}, note)));
  }

  offer(buttons: readonly HTMLElement[]): void {
    this.#actions.replaceChildren(...buttons);
  }

  /** Lets the person name the skin. */
  offerName(buttons: readonly HTMLElement[]): void {
    if (this.#name.parentElement === this.#actions) {
      for (const button of this.#actions.querySelectorAll('button')) button.remove();
      this.#actions.append(...buttons); // the person may be typing
    } else this.offer([this.#name, ...buttons]);
  }

  /** `uuid`: of the skin. */
  finish(uuid: string, { acts, notes, raw }: SkinUse): void {
    if (!this.#isDrawn) this.#canvas.replaceWith(pictureOf(uuid));
    const link = element('a', { href: `/ui/skins/${uuid}`, className: 'button' }, say('Open the skin'));
    this.#title.textContent = this.name || this.#title.textContent;
    this.#state.replaceChildren(link);
    this.note([]);
    const steps = notes.slice(0, -1).map((note, at) => stepOf(note, acts[at]));
    const list = element('ol', { className: steps.length > 1 ? 'todo' : 'todo one' }, ...steps);
    const summary = element('summary', {}, say('Value, signature and other data'));
    const seen = element('span', { className: 'quiet' }, notes.at(-1) ?? '');
    this.offer([list, seen, element('details', { className: 'raw' }, summary, say('Copy'), ' ', ...raw)]);
  }
}

/** What to do with a skin. */
interface SkinUse {
  /** Buttons and links for all notes but the last. */
  readonly acts: readonly HTMLElement[];
  /** What to do, step by step, and who will see the skin. */
  readonly notes: readonly string[];
  /** Buttons that copy its data. */
  readonly raw: readonly HTMLElement[];
}

function stepOf(note: string, act: HTMLElement | undefined): HTMLElement {
  return element('li', {}, ...(act ? [act] : []), element('span', {}, note));
}

/** The skin from the front, where the page did not have the picture before the server did. */
function pictureOf(uuid: string): HTMLElement {
  return element('img', { src: `/ui/skins/${uuid}/pictures/front?size=128`, alt: '' });
}

/** The name that a skin gets after its file or player; empty if nothing readable is left of it. */
function nameAfter(source: string): string {
  const isAddress = /^https?:/.test(source);
  const file = isAddress ? source.replace(/[?#].*$/, '').replace(/^.*\//, '') : source;
  if (/^data:|^[0-9a-f-]{32,}$/i.test(file)) return ''; // the latter: a UUID, or the hash of a texture
  const stem = transliterated(file.replace(/\.png$/i, ''));
  return skinNameFrom(stem.replace(/^[^A-Za-z0-9]+/, '')) ?? '';
}
