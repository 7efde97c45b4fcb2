/** What becomes of one picture. */
export class ResultRow {
  readonly element = document.createElement('li');
  readonly #state = document.createElement('span');

  constructor(file: File) {
    const picture = document.createElement('img');
    picture.alt = '';
    picture.src = URL.createObjectURL(file);
    picture.addEventListener('load', () => URL.revokeObjectURL(picture.src), { once: true });
    const name = document.createElement('strong');
    name.textContent = file.name;
    this.#state.textContent = 'In line';
    const text = document.createElement('div');
    text.append(name, document.createElement('br'), this.#state);
    this.element.append(picture, text);
  }

  say(state: string): void {
    this.#state.textContent = state;
  }

  fail(reason: string): void {
    this.#state.className = 'problem';
    this.#state.textContent = reason;
  }

  finish(address: string, buttons: readonly HTMLButtonElement[]): void {
    const link = document.createElement('a');
    link.href = address;
    link.textContent = 'Open the skin';
    this.#state.replaceChildren(link);
    const actions = document.createElement('div');
    actions.className = 'actions';
    actions.append(...buttons);
    this.element.append(actions);
  }
}
