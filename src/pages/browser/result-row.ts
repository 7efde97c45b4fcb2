import { transliterated } from '../../base/transliteration.ts';
import { skinNameFrom } from '../../protocol/skin-name.ts';
import type { Picture } from '../../skin/picture.ts';
import type { Variant } from '../../skin/regions.ts';
import { drawFlat, FIGURE } from '../../skin/render/flat.ts';
import { say } from './language.ts';

/** The row that shows one picture: what is known about it, its name, its progress and its result. */
export class ResultRow {
  readonly element = document.createElement('li');
  readonly #canvas = document.createElement('canvas');
  readonly #title = document.createElement('strong');
  readonly #state = document.createElement('span');
  readonly #notes = document.createElement('ul');
  readonly #name = document.createElement('input');
  readonly #actions = document.createElement('div');

  constructor({ name }: File) {
    this.#canvas.width = FIGURE.width;
    this.#canvas.height = FIGURE.height;
    this.#title.textContent = name;
    this.#title.className = 'title';
    this.#state.className = 'state';
    this.#notes.className = 'quiet notes';
    this.#name.value = nameAfter(name);
    this.#name.maxLength = 48;
    this.#name.pattern = '[A-Za-z0-9_.\\- ]+';
    this.#name.title = say('Only A–Z, a–z, 0–9, spaces, _ . and -');
    this.#name.placeholder = say('No name');
    this.#name.autocomplete = 'off';
    this.#name.ariaLabel = say('Name of {0}', name);
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
    const { pixels, width, height } = drawFlat(picture, variant, 'front');
    this.#canvas
      .getContext('2d')
      ?.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  }

  say(state: string): void {
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

  /** `copies`: buttons that copy the skin's data. */
  finish(address: string, copies: readonly HTMLElement[]): void {
    const link = document.createElement('a');
    link.href = address;
    link.textContent = say('Open the skin');
    this.#title.textContent = this.name || this.#title.textContent;
    this.#state.replaceChildren(link);
    const label = document.createElement('span');
    label.className = 'quiet';
    label.textContent = say('Copy');
    this.offer([label, ...copies]);
  }
}

/** The name that a skin gets after its file; empty if nothing readable is left of it. */
function nameAfter(file: string): string {
  const stem = transliterated(file.replace(/\.png$/i, ''));
  return skinNameFrom(stem.replace(/^[^A-Za-z0-9]+/, '')) ?? '';
}
