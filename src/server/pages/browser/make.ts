import { ChosenPicture } from './chosen-picture.ts';
import { chooseFolder, droppedFiles } from './files.ts';
import { MakeQueue } from './make-queue.ts';
import { Preview } from './preview.ts';

/** Lets the form take several pictures, also by drop and paste, and shows the check and the result of each. */
export function enhanceMakeForm(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  const list = form.parentElement?.querySelector<HTMLOListElement>('[data-results]');
  const stage = form.parentElement?.querySelector<HTMLElement>('[data-preview]');
  if (!input || !list || !stage) return;
  input.multiple = true;
  for (const hint of form.querySelectorAll<HTMLElement>('[data-needs-script]')) hint.hidden = false;
  const pictures = new ChosenPictures(form, { list, preview: new Preview(stage) });
  input.addEventListener('change', () => pictures.choose([...(input.files ?? [])]));
  form.querySelector('select[name="variant"]')?.addEventListener('change', () => pictures.examineAgain());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void pictures.send();
  });
  takeDrops(form, (files) => pictures.choose(files));
  document.addEventListener('paste', ({ clipboardData }) =>
    pictures.choose([...(clipboardData?.files ?? [])]),
  );
  form.querySelector('[data-choose-folder]')?.addEventListener('click', async () => {
    pictures.choose(await chooseFolder());
  });
}

function takeDrops(form: HTMLFormElement, take: (files: File[]) => void): void {
  const target = form.querySelector('.drop') ?? form;
  const mark = (isOver: boolean) => target.classList.toggle('over', isOver);
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener('dragleave', () => mark(false));
  document.addEventListener('drop', async (event) => {
    event.preventDefault();
    mark(false);
    if (event.dataTransfer) take(await droppedFiles(event.dataTransfer));
  });
}

interface MakeParts {
  readonly list: HTMLOListElement;
  readonly preview: Preview;
}

/** The chosen pictures, until they are sent. */
class ChosenPictures {
  readonly #form: HTMLFormElement;
  readonly #parts: MakeParts;
  readonly #queue = new MakeQueue();
  #chosen: ChosenPicture[] = [];
  /** The picture on the stage. */
  #previewed: ChosenPicture | undefined;

  constructor(form: HTMLFormElement, parts: MakeParts) {
    this.#form = form;
    this.#parts = parts;
  }

  choose(files: readonly File[]): void {
    for (const file of files) {
      const picture = new ChosenPicture(file, {
        wanted: () => variantOf(this.#form),
        onPreview: async (shown, variant) => {
          this.#previewed = picture;
          await this.#parts.preview.show(shown, variant);
        },
        onRemove: (removed) => this.#remove(removed),
      });
      this.#chosen.push(picture);
      this.#parts.list.append(picture.row.element);
    }
    this.#update();
  }

  /** Updates rows and preview after the form's arms have changed. */
  examineAgain(): void {
    for (const picture of this.#chosen) picture.examineAgain();
    void this.#showAgain();
  }

  async #showAgain(): Promise<void> {
    const picture = this.#previewed;
    const found = await picture?.examined;
    if (!picture || !found || found.problem || picture !== this.#previewed) return;
    await this.#parts.preview.show(picture.file, found.variant);
  }

  #closePreview(): void {
    this.#previewed = undefined;
    this.#parts.preview.close();
  }

  /** Sends the pictures without problems. The others stay, to be repaired or removed. */
  async send(): Promise<void> {
    const fields = new FormData(this.#form);
    const chosen = this.#chosen;
    const found = await Promise.all(chosen.map(async ({ examined }) => await examined));
    const sound = chosen.filter((_picture, at) => found[at]?.problem === undefined);
    this.#chosen = this.#chosen.filter((picture) => !sound.includes(picture));
    this.#closePreview();
    for (const { row } of sound) row.wait();
    const queued = sound.map(({ file, row }) => ({
      file,
      row,
      fields: fieldsFor(fields, file),
    }));
    this.#queue.add(queued);
    this.#clear();
    this.#update();
  }

  /** Clears the form for the next picture. Arms and visibility stay, so that no public skin follows an unlisted one unnoticed. */
  #clear(): void {
    for (const input of this.#form.querySelectorAll<HTMLInputElement>(
      'input[name="file"], input[name="name"]',
    ))
      input.value = '';
  }

  #remove(picture: ChosenPicture): void {
    this.#chosen = this.#chosen.filter((one) => one !== picture);
    picture.row.element.remove();
    this.#closePreview();
    this.#update();
  }

  #update(): void {
    const { list } = this.#parts;
    list.hidden = list.childElementCount === 0;
    const input = this.#form.querySelector<HTMLInputElement>('input[type="file"]');
    if (input) input.required = this.#chosen.length === 0;
    const areSeveral = this.#chosen.length > 1;
    const name = this.#form.querySelector<HTMLInputElement>('input[name="name"]');
    if (name) name.disabled = areSeveral;
    const hint = this.#form.querySelector<HTMLElement>('[data-names-hint]');
    if (hint) hint.hidden = !areSeveral;
  }
}

function variantOf(form: HTMLFormElement): 'classic' | 'slim' | undefined {
  const variant = new FormData(form).get('variant');
  return variant === 'classic' || variant === 'slim' ? variant : undefined;
}

/** A picture without a typed name is named after its file. */
function fieldsFor(form: FormData, file: File): FormData {
  const fields = new FormData();
  for (const [name, value] of form) if (name !== 'file') fields.append(name, value);
  const typed = String(fields.get('name') ?? '');
  const own = file.name.replace(/\.png$/i, '').replace(/[^A-Za-z0-9_.\- ]+/g, '_');
  fields.set('name', (typed === '' ? own : typed).slice(0, 48));
  return fields;
}
