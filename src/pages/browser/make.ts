import { ChosenPicture } from './chosen-picture.ts';
import { element } from './element.ts';
import { count, say } from './language.ts';
import { MakeQueue } from './make-queue.ts';
import { ResultRow } from './result-row.ts';
import { FEW, Results } from './results.ts';
import { Preview } from './viewer.ts';

/** The script of the form that makes skins, for the few pages that have one. */

/** Lets the form take several pictures, also by drop and paste, and shows the check and the result of each. */
function enhanceMakeForm(form: HTMLFormElement): void {
  rememberVisibility(form);
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  const around = form.parentElement;
  const list = form.querySelector<HTMLOListElement>('[data-chosen]');
  const panel = around?.querySelector<HTMLElement>('[data-results]');
  const dialog = around?.querySelector<HTMLDialogElement>('[data-preview]');
  const stage = dialog?.querySelector<HTMLElement>('[data-stage]');
  const lines = form.querySelector('textarea');
  if (lines && panel) takeLines(form, lines, panel);
  if (!input || !list || !panel || !dialog || !stage) return;
  input.multiple = true;
  const pictures = new ChosenPictures(form, { input, list, panel, preview: new Preview(dialog, stage) });
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

const VISIBILITY = 'skinsmith-visibility';

/** Keeps the visibility for this browser's next form. One that is not allowed there becomes unlisted, not public. */
function rememberVisibility(form: HTMLFormElement): void {
  const select = form.querySelector<HTMLSelectElement>('select[name="visibility"]');
  if (!select) return;
  const isSent = select.querySelector('[selected]') !== null;
  const kept = isSent ? undefined : stored(VISIBILITY);
  const option = [...select.options].find(({ value }) => value === kept);
  if (option) select.value = option.disabled ? 'unlisted' : option.value;
  select.addEventListener('change', () => store(VISIBILITY, select.value));
}

/** Undefined also in browsers that keep nothing. */
function stored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // This browser keeps nothing: the next form starts as usual.
  }
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
  readonly input: HTMLInputElement;
  /** The chosen pictures. */
  readonly list: HTMLOListElement;
  readonly panel: HTMLElement;
  readonly preview: Preview;
}

/** The chosen pictures, until they are sent. */
class ChosenPictures {
  readonly #form: HTMLFormElement;
  readonly #parts: MakeParts;
  readonly #results: Results;
  readonly #queue: MakeQueue;
  #chosen: ChosenPicture[] = [];

  constructor(form: HTMLFormElement, parts: MakeParts) {
    this.#form = form;
    this.#parts = parts;
    [this.#results, this.#queue] = resultsBelow(form, { panel: parts.panel, field: parts.input });
    form.querySelector('[data-repair-all]')?.addEventListener('click', () => {
      for (const picture of this.#chosen) void picture.repair();
    });
    form.querySelector('[data-remove-bad]')?.addEventListener('click', () => {
      for (const picture of this.#chosen) if (picture.found?.problem) this.#remove(picture);
    });
  }

  choose(files: readonly File[]): void {
    for (const file of files) {
      const picture = new ChosenPicture(file, {
        wanted: () => variantOf(this.#form),
        onPreview: async (shown, variant) => await this.#parts.preview.show(shown, variant),
        onRemove: (removed) => this.#remove(removed),
        onExamined: (examined) => this.#place(examined),
        twinOf: (examined) => this.#twinOf(examined),
      });
      this.#chosen.push(picture);
      this.#parts.list.append(picture.row.element);
    }
    if (files.length === 0) return;
    this.#form.hidden = false;
    this.#parts.input.value = ''; // the same file may be chosen again
    this.#update();
    this.#parts.list.scrollIntoView({ block: 'nearest' });
  }

  /** Checks the pictures again after the form's arms have changed. */
  examineAgain(): void {
    for (const picture of this.#chosen) picture.examineAgain();
  }

  /** Sends the pictures without problems. The others stay, to be repaired or removed. */
  async send(): Promise<void> {
    const fields = new FormData(this.#form);
    const chosen = this.#chosen;
    this.#chosen = []; // a second click sends nothing
    const found = await Promise.all(chosen.map(async ({ examined }) => await examined));
    const sound = chosen.filter((_picture, at) => found[at]?.problem === undefined);
    this.#chosen = [...chosen.filter((picture) => !sound.includes(picture)), ...this.#chosen];
    if (sound.length === 0) return;
    const queued = sound.map(({ file, row }) => ({
      row,
      fields: fieldsFor(fields, { name: row.name, file }),
    }));
    const height = this.#chosen.length === 0 ? this.#form.getBoundingClientRect().height : 0;
    this.#form.hidden = height > 0;
    this.#queue.add(queued, height);
    this.#update();
  }

  #remove(picture: ChosenPicture): void {
    this.#chosen = this.#chosen.filter((one) => one !== picture);
    picture.row.element.remove();
    this.#update();
  }

  /** Puts a picture that needs attention above the others, where there are many. */
  #place({ found, row }: ChosenPicture): void {
    const first = this.#parts.list.querySelector(':scope > li:not(.bad)');
    if (found?.problem && this.#chosen.length > FEW) first?.before(row.element);
    this.#update();
  }

  #twinOf(picture: ChosenPicture): string | undefined {
    const pixels = pixelsOf(picture);
    const twin = this.#chosen.find(
      (other) => other !== picture && pixels !== undefined && isSame(pixels, pixelsOf(other)),
    );
    return twin?.file.name;
  }

  #update(): void {
    const { list, input } = this.#parts;
    list.hidden = list.childElementCount === 0;
    input.required = this.#chosen.length === 0;
    this.#results.leave(this.#chosen.length);
    const bad = this.#chosen.filter(({ found }) => found?.problem);
    const hasMany = this.#chosen.length > FEW;
    const bar = this.#form.querySelector<HTMLElement>('[data-bar-of-chosen]')!;
    bar.classList.toggle('sticky', hasMany);
    list.classList.toggle('many', hasMany);
    // Many rows stand below the fields for all of them.
    if (hasMany && list.nextElementSibling !== bar) bar.before(list);
    const ready = this.#chosen.filter(({ found }) => found && !found.problem).length;
    bar.querySelector('[data-chosen-count]')!.textContent =
      this.#chosen.length > 1 ? say('Ready: {0}. Need attention: {1}.', count(ready), count(bad.length)) : '';
    const canRepair = bad.filter(({ found }) => found?.problem?.repair !== undefined).length;
    bar.querySelector<HTMLElement>('[data-repair-all]')!.hidden = canRepair < 2;
    bar.querySelector<HTMLElement>('[data-remove-bad]')!.hidden = bad.length < 2;
  }
}

function pixelsOf({ found }: ChosenPicture): Uint8Array | undefined {
  return found && !found.problem ? found.picture.pixels : undefined;
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return one.length === other?.length && one.every((value, at) => value === other[at]);
}

/** Makes a skin of each line of the form's field. */
function takeLines(form: HTMLFormElement, field: HTMLTextAreaElement, panel: HTMLElement): void {
  const [, queue] = resultsBelow(form, { panel, field });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const texts = field.value.split('\n').map((line) => line.trim());
    const lines = [...new Set(texts)].filter((line) => line !== '').slice(0, MAX_FILES);
    if (lines.length === 0) return;
    const queued = lines.map((line) => {
      const row = new ResultRow(line);
      const name = (lines.length === 1 && given.get('name')) || row.name;
      return { row, fields: fieldsFor(given, { name, [field.name]: line }) };
    });
    const height = form.getBoundingClientRect().height;
    field.value = '';
    form.hidden = true;
    queue.add(queued, height);
  });
}

/** The results in the place of the form. `field`: what the next skins are made from. */
function resultsBelow(
  form: HTMLFormElement,
  { panel, field }: { readonly panel: HTMLElement; readonly field: HTMLElement },
): [Results, MakeQueue] {
  const onMore = () => {
    form.hidden = false;
    panel.style.minHeight = '';
    field.focus();
  };
  const results = new Results(panel, { onMore, onAgain: () => queue.addFailed() });
  const queue = new MakeQueue(results, Number(form.dataset['atOnce']));
  return [results, queue];
}

function variantOf(form: HTMLFormElement): 'classic' | 'slim' | undefined {
  const variant = new FormData(form).get('variant');
  return variant === 'classic' || variant === 'slim' ? variant : undefined;
}

function fieldsFor(form: FormData, own: Readonly<Record<string, FormDataEntryValue>>): FormData {
  const fields = new FormData();
  for (const [key, value] of [...form, ...Object.entries(own)]) fields.set(key, value);
  return fields;
}

/** Maximum number of pictures to take from one folder. */
const MAX_FILES = 500;

/** The dropped PNG files, including those in folders. Call it in the event's handler: the data is gone afterwards. */
async function droppedFiles(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files: File[] = [];
  for (const entry of entries) await collect(entry, files);
  return entries.length > 0 ? files : [...data.files];
}

async function collect(entry: FileSystemEntry, files: File[]): Promise<void> {
  if (files.length >= MAX_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    files.push(file);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (part.length === 0) return; // browsers list a folder's files in parts
    for (const inner of part) {
      if (inner.isDirectory || /\.png$/i.test(inner.name)) await collect(inner, files);
    }
  }
}

/** The PNG files of a folder that the person picks. */
async function chooseFolder(): Promise<File[]> {
  const input = element('input', { type: 'file', webkitdirectory: true });
  const chosen = new Promise<File[]>((resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener('cancel', () => resolve([]), { once: true });
  });
  input.click();
  return (await chosen).filter(({ name }) => /\.png$/i.test(name)).slice(0, MAX_FILES);
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-make]')) enhanceMakeForm(form);
