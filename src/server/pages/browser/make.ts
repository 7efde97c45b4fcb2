import { copyButton } from './copy.ts';
import { droppedFiles } from './files.ts';
import { type JobState, pause, waitForJob } from './jobs.ts';
import { problemOf } from './picture-check.ts';
import { ResultRow } from './result-row.ts';

/** Pictures that are sent at the same time. */
const AT_ONCE = 2;
/** Milliseconds to wait when the server asks for a pause without saying how long. */
const PAUSE = 3_000;

/** Lets the form take several pictures, by drop and paste too, and shows what becomes of each. */
export function enhanceMakeForm(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  const list = form.parentElement?.querySelector<HTMLOListElement>('[data-results]');
  if (!input || !list) return;
  input.multiple = true;
  for (const hint of form.querySelectorAll<HTMLElement>('[data-needs-script]')) hint.hidden = false;
  const queue = new MakeQueue(form, list);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    queue.add([...(input.files ?? [])]);
    form.reset();
  });
  takeDrops(form, (files) => queue.add(files));
  document.addEventListener('paste', ({ clipboardData }) => {
    const files = [...(clipboardData?.files ?? [])];
    if (files.length > 0) queue.add(files);
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

interface Wish {
  readonly file: File;
  readonly row: ResultRow;
  /** The form as it was when the picture was added. */
  readonly fields: FormData;
}

class MakeQueue {
  readonly #form: HTMLFormElement;
  readonly #list: HTMLOListElement;
  readonly #waiting: Wish[] = [];
  #underWay = 0;

  constructor(form: HTMLFormElement, list: HTMLOListElement) {
    this.#form = form;
    this.#list = list;
  }

  add(files: readonly File[]): void {
    this.#list.hidden = false;
    for (const file of files) {
      const row = new ResultRow(file);
      this.#list.append(row.element);
      this.#waiting.push({ file, row, fields: fieldsFor(this.#form, file, files.length) });
    }
    while (this.#underWay < AT_ONCE && this.#waiting.length > 0) void this.#work();
  }

  async #work(): Promise<void> {
    this.#underWay++;
    for (let wish = this.#waiting.shift(); wish; wish = this.#waiting.shift()) {
      try {
        await make(wish);
      } catch {
        wish.row.fail('The server could not be reached. Try again.');
      }
    }
    this.#underWay--;
  }
}

/** A name that was typed is for one picture; several are named after their files. */
function fieldsFor(form: HTMLFormElement, file: File, count: number): FormData {
  const fields = new FormData(form);
  fields.delete('file');
  const typed = String(fields.get('name') ?? '');
  const own = file.name.replace(/\.png$/i, '').replace(/[^A-Za-z0-9_.\- ]+/g, '_');
  fields.set('name', (typed !== '' && count === 1 ? typed : own).slice(0, 48));
  return fields;
}

async function make({ file, row, fields }: Wish): Promise<void> {
  const problem = problemOf(new Uint8Array(await file.arrayBuffer()));
  if (problem !== undefined) {
    row.fail(problem);
    return;
  }
  row.say('Sending');
  fields.set('file', file);
  const sent = await send(fields, row);
  if ('error' in sent) {
    row.fail(sent.error);
    return;
  }
  row.say('Waiting');
  const state = await waitForJob(sent.job, ({ status }) =>
    row.say(status === 'processing' ? 'Being made' : 'Waiting'),
  );
  show(state, row);
}

async function send(fields: FormData, row: ResultRow): Promise<{ job: string } | { error: string }> {
  for (;;) {
    const answer = await fetch('/ui/make', {
      method: 'POST',
      body: fields,
      headers: { accept: 'application/json' },
    });
    const body = (await answer.json()) as { job: string; errors?: readonly { message: string }[] };
    if (answer.ok) return { job: body.job };
    if (answer.status !== 429) return { error: (body.errors ?? []).map(({ message }) => message).join(' ') };
    row.say('The server asks for a pause');
    await pause(Number(answer.headers.get('retry-after') ?? 0) * 1000 || PAUSE);
  }
}

function show({ skin, error }: JobState, row: ResultRow): void {
  if (!skin) {
    row.fail(error?.message ?? 'The skin was not made.');
    return;
  }
  const { uuid, value, signature, url } = skin;
  const buttons = [
    copyButton('Copy the value', value),
    copyButton('Copy the signature', signature),
    copyButton('Copy the texture address', url),
  ];
  row.finish(`/ui/skins/${uuid}`, buttons);
}
