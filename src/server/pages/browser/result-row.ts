/** The row that shows one picture's progress and result. */
export class ResultRow {
  readonly element = document.createElement('li');
  readonly #state = document.createElement('span');
  readonly #notes = document.createElement('ul');
  readonly #actions = document.createElement('div');
  readonly #picture = document.createElement('img');

  constructor(file: File) {
    this.#picture.alt = '';
    this.#picture.addEventListener('error', () => this.#picture.removeAttribute('src')); // not a picture
    this.picture = file;
    const name = document.createElement('strong');
    name.textContent = file.name;
    this.#notes.className = 'quiet notes';
    this.#actions.className = 'actions';
    const text = document.createElement('div');
    text.append(name, document.createElement('br'), this.#state, this.#notes);
    this.element.append(this.#picture, text, this.#actions);
  }

  set picture(file: File) {
    this.#picture.src = URL.createObjectURL(file);
    this.#picture.addEventListener('load', () => URL.revokeObjectURL(this.#picture.src), { once: true });
  }

  say(state: string): void {
    this.#state.className = '';
    this.#state.textContent = state;
  }

  /** The picture waits to be sent. */
  wait(): void {
    this.say('Queued');
    this.note([]);
    this.offer([]);
  }

  fail(reason: string): void {
    this.#state.className = 'problem';
    this.#state.textContent = reason;
  }

  /** Adds a link beside the reason of a failure. It opens another tab, because the chosen pictures would be lost. */
  link(address: string, label: string): void {
    const link = document.createElement('a');
    link.href = address;
    link.target = '_blank';
    link.textContent = label;
    this.#state.append(' ', link);
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

  offer(buttons: readonly HTMLButtonElement[]): void {
    this.#actions.replaceChildren(...buttons);
  }

  finish(address: string, buttons: readonly HTMLButtonElement[]): void {
    const link = document.createElement('a');
    link.href = address;
    link.textContent = 'Open the skin';
    this.#state.replaceChildren(link);
    this.offer(buttons);
  }
}
