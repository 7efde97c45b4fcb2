import { transliterated } from '../../base/transliteration.ts';
import { skinNameFrom } from '../../protocol/skin-name.ts';
import type { Picture } from '../../skin/picture.ts';
import type { Variant } from '../../skin/regions.ts';
import { drawFlat, FIGURE } from '../../skin/render/flat.ts';
import { say } from './language.ts';

/** The row that shows one picture: what is known about it, its name, its progress and its result. It is called after a file, an address or a player. */
export class ResultRow {
  readonly about: string;
  readonly element = document.createElement('li');
  readonly #canvas = document.createElement('canvas');
  readonly #title = document.createElement('strong');
  readonly #state = document.createElement('span');
  readonly #notes = document.createElement('ul');
  readonly #name = document.createElement('input');
  readonly #actions = document.createElement('div');
  #isDrawn = false;

  constructor(about: string) {
    this.about = about;
    this.#canvas.width = FIGURE.width;
    this.#canvas.height = FIGURE.height;
    this.#title.textContent = about;
    this.#title.className = 'title';
    this.#state.className = 'state';
    this.#notes.className = 'quiet notes';
    this.#name.value = nameAfter(about);
    this.#name.maxLength = 48;
    this.#name.pattern = '[A-Za-z0-9_.\\- ]+';
    this.#name.title = say('Only A–Z, a–z, 0–9, spaces, _ . and -');
    this.#name.placeholder = say('No name');
    this.#name.autocomplete = 'off';
    this.#name.ariaLabel = say('Name of {0}', about);
    this.#actions.className = 'actions';
    const text = document.createElement('div');
    text.append(this.#title, this.#state, this.#notes, this.#actions);
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
    this.#notes.replaceChildren(
      ...notes.map((note) => {
        const item = document.createElement('li');
        item.textContent = note;
        return item;
      }),
    );
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

  /** `uuid`: of the skin; `copies`: buttons that copy its data. */
  finish(uuid: string, copies: readonly HTMLElement[]): void {
    if (!this.#isDrawn) this.#canvas.replaceWith(pictureOf(uuid));
    const link = document.createElement('a');
    link.href = `/ui/skins/${uuid}`;
    link.textContent = say('Open the skin');
    this.#title.textContent = this.name || this.#title.textContent;
    this.#state.replaceChildren(link);
    const label = document.createElement('span');
    label.className = 'quiet';
    label.textContent = say('Copy');
    this.offer([label, ...copies]);
  }
}

/** The skin from the front, where the page did not have the picture before the server did. */
function pictureOf(uuid: string): HTMLElement {
  const image = document.createElement('img');
  image.src = `/ui/skins/${uuid}/pictures/front?size=128`;
  image.alt = '';
  return image;
}

/** The name that a skin gets after its file or player; empty if nothing readable is left of it. */
function nameAfter(source: string): string {
  const isAddress = /^https?:/.test(source);
  const file = isAddress ? source.replace(/[?#].*$/, '').replace(/^.*\//, '') : source;
  if (/^data:|^[0-9a-f-]{32,}$/i.test(file)) return ''; // the latter: a UUID, or the hash of a texture
  const stem = transliterated(file.replace(/\.png$/i, ''));
  return skinNameFrom(stem.replace(/^[^A-Za-z0-9]+/, '')) ?? '';
}
